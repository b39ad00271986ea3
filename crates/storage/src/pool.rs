//! Connections and transactions.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection};

use crate::{Error, Result};

/// A connection, inside a transaction or not.
pub type Conn = sqlx::PgConnection;

/// A transaction. Dropped without `commit`, it changes nothing.
pub type Tx = sqlx::Transaction<'static, sqlx::Postgres>;

/// The process's connections. Never take a second one while holding one: a small pool would wait
/// for itself.
#[derive(Clone, Debug)]
pub struct Pool(sqlx::PgPool);

/// A caller that cannot have a connection by then is told to come back.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// What the server itself enforces, so that a dropped request cannot leave a statement running or
/// a row locked.
const SERVER_LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "5s"),
    ("lock_timeout", "2s"),
    ("idle_in_transaction_session_timeout", "5s"),
];

/// A connection that has rested for so long may have died since, with a restart of the server for
/// one, and is asked before it is handed out. A busy one is not: asking would double the round
/// trips.
const RESTED: Duration = Duration::from_secs(1);

/// Opens a pool of up to `size` connections; the first is made now, so that a wrong address is
/// an error here.
pub async fn connect(url: &str, size: u32) -> Result<Pool> {
    let options = options(url)?.options(SERVER_LIMITS);
    let pool = PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|conn, meta| {
            Box::pin(async move { Ok(meta.idle_for < RESTED || conn.ping().await.is_ok()) })
        })
        .connect_with(options)
        .await?;
    Ok(Pool(pool))
}

/// Brings the schema up to date. Several processes may try at once: one works, the others wait
/// for it, which is why a connection of its own is used, without the limits of a request.
pub async fn migrate(url: &str) -> Result<()> {
    let mut conn = PgConnection::connect_with(&options(url)?).await?;
    sqlx::migrate!().run(&mut conn).await?;
    Ok(conn.close().await?)
}

pub async fn acquire(pool: &Pool) -> Result<sqlx::pool::PoolConnection<sqlx::Postgres>> {
    Ok(pool.0.acquire().await?)
}

pub async fn begin(pool: &Pool) -> Result<Tx> {
    begin_with(pool, "BEGIN").await
}

/// A transaction in which the database refuses every change. It costs no statement more than
/// another.
pub async fn begin_read(pool: &Pool) -> Result<Tx> {
    begin_with(pool, "BEGIN READ ONLY").await
}

/// A connection that turns out to be dead has begun nothing, so the next is tried.
async fn begin_with(pool: &Pool, statement: &'static str) -> Result<Tx> {
    let mut left = pool.size();
    loop {
        match pool.0.begin_with(statement).await.map_err(Error::from) {
            Err(error) if left > 0 && error.is_dead_connection() => left -= 1,
            begun => return begun,
        }
    }
}

pub async fn commit(tx: Tx) -> Result<()> {
    Ok(tx.commit().await?)
}

fn options(url: &str) -> Result<PgConnectOptions> {
    Ok(PgConnectOptions::from_str(url)?.application_name("portico"))
}

impl Pool {
    /// The most connections that it may have.
    pub(crate) fn size(&self) -> u32 {
        self.0.options().get_max_connections()
    }

    /// Ends every connection; what was running is waited for.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
