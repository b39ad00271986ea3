//! A database of its own for every test: a copy of a template that is migrated once, in a cluster
//! that all tests of a run share. Tests are processes, so whatever they agree on is in Postgres.

mod cluster;
mod template;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use portico_storage::{self as storage, Pool};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use sqlx::{Connection as _, Executor as _, PgConnection};

const POOL_SIZE: u32 = 8;

const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Dropped with everything in it when the test ends.
#[derive(Debug)]
pub struct Database {
    /// Of one that we made.
    name: Option<String>,
    url: String,
}

impl Database {
    pub async fn new() -> Self {
        let name = template::copy().await;
        let url = cluster::url(&name);
        Self { name: Some(name), url }
    }

    /// Without any table.
    pub async fn empty() -> Self {
        let name = template::empty().await;
        let url = cluster::url(&name);
        Self { name: Some(name), url }
    }

    /// Another process's, which is left as it is.
    pub fn at(url: &str) -> Self {
        Self { name: None, url: url.to_owned() }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub async fn pool(&self) -> Pool {
        self.pool_of(POOL_SIZE).await
    }

    pub async fn pool_of(&self, size: u32) -> Pool {
        open(&self.url, size).await
    }

    /// Connections for which it is so much later.
    pub async fn pool_later(&self, passed: Duration) -> Pool {
        open(&self.url_later(passed), POOL_SIZE).await
    }

    /// Its address for whom it is so much later.
    pub fn url_later(&self, passed: Duration) -> String {
        let setting = format!("-c portico.clock_offset={}s", passed.as_secs());
        let mut url = url::Url::parse(&self.url).unwrap();
        url.query_pairs_mut().append_pair("options", &setting);
        url.into()
    }

    /// What a statement answers, a row a JSON object. For looking where the product does not.
    pub async fn rows(&self, select: &str) -> Vec<Value> {
        let mut conn = self.session().await;
        #[expect(clippy::disallowed_methods, reason = "tests look where the product does not")]
        let rows = sqlx::query_scalar::<_, Value>(AssertSqlSafe(format!(
            "select to_jsonb(looked) from ({select}) looked"
        )))
        .fetch_all(&mut conn)
        .await
        .unwrap();
        rows
    }

    /// Runs statements that the product has no function for.
    pub async fn execute(&self, statements: &str) {
        let mut conn = self.session().await;
        conn.execute(sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))).await.unwrap();
    }

    /// From now on it is that time for the product, and stays so until it is set again. Connections
    /// for which it is later are as much later as before.
    pub async fn set_clock(&self, at: &str) {
        let clock = format!(
            "create or replace function portico_now() returns timestamptz language sql stable
             return timestamptz '{at}'
                + coalesce(nullif(current_setting('portico.clock_offset', true), ''), '0')::interval"
        );
        self.execute(&clock).await;
    }

    /// Ends every other connection, as a restart of the server does.
    pub async fn drop_connections(&self) {
        self.execute(
            "do $$ begin perform pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid(); end $$",
        )
        .await;
    }

    /// Until so many calls are recorded, which the gateway does in its own time; answers them, the
    /// first one first.
    pub async fn wait_for_calls(&self, count: u64) -> Vec<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let calls = self.rows("select * from calls order by started_at").await;
            if calls.len() as u64 >= count {
                return calls;
            }
            assert!(Instant::now() < deadline, "{} of {count} calls are recorded", calls.len());
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A connection outside of every pool.
    pub async fn session(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.unwrap()
    }

    /// Every row of every table, as text, for finding what should not be there.
    pub async fn dump(&self) -> String {
        let tables = self
            .rows(
                "select format('%I.%I', schemaname, tablename) as name from pg_tables
                 where schemaname not in ('pg_catalog', 'information_schema') order by 1",
            )
            .await;
        let mut dump = String::new();
        for table in tables {
            let name = table["name"].as_str().unwrap();
            for row in self.rows(&format!("select * from {name}")).await {
                writeln!(dump, "{name}: {row}").unwrap();
            }
        }
        dump
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            template::remove(name);
        }
    }
}

/// The product gives up soon, so that its callers do not wait; tests start many at once on a machine
/// that may be slow, and have the time.
async fn open(url: &str, size: u32) -> Pool {
    let mut left = 20;
    loop {
        match storage::connect(url, size).await {
            Ok(pool) => return pool,
            Err(error) if left == 0 || !error.is_outage() => panic!("{url}: {error:?}"),
            Err(_) => left -= 1,
        }
    }
}
