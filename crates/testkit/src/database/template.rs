//! Making and removing databases. The template is named for the migrations it has, and made by
//! whoever comes first; a database is named for the process that uses it, so that the ones a
//! killed test left behind can be told.

use std::path::Path;

use portico_storage as storage;
use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::database::cluster;
use crate::random;

const PREFIX: &str = "portico_test_";
const TEMPLATE_PREFIX: &str = "portico_template_";

/// A new database with all tables.
pub(super) async fn copy() -> String {
    let mut conn = maintenance().await;
    let template = ensure(&mut conn).await;
    let name = new_name();
    execute(&mut conn, &format!("create database {name} template {template}")).await;
    name
}

/// A new database without any.
pub(super) async fn empty() -> String {
    let mut conn = maintenance().await;
    let name = new_name();
    execute(&mut conn, &format!("create database {name}")).await;
    name
}

/// Best effort, from a thread: the test's own runtime may be ending, or the test panicking.
pub(super) fn remove(name: &str) {
    let statement = format!("drop database if exists {name} with (force)");
    let removal = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut conn = PgConnection::connect(&cluster::maintenance_url()).await?;
            conn.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
        })
    });
    if !matches!(removal.join(), Ok(Ok(()))) {
        // The next run removes it, since this process will be gone.
    }
}

/// The template's name; it is there when this returns.
async fn ensure(conn: &mut PgConnection) -> String {
    let name = format!("{TEMPLATE_PREFIX}{}", digest());
    if exists(conn, &name).await {
        return name;
    }
    execute(conn, "select pg_advisory_lock(hashtext('portico_template'))").await;
    if !exists(conn, &name).await {
        remove_stale(conn).await;
        // Under another name until it is whole: a killed test leaves no half template.
        let unfinished = format!("{name}_unfinished");
        execute(conn, &format!("drop database if exists {unfinished} with (force)")).await;
        execute(conn, &format!("create database {unfinished}")).await;
        storage::migrate(&cluster::url(&unfinished)).await.unwrap();
        execute(conn, &format!("alter database {unfinished} rename to {name}")).await;
    }
    execute(conn, "select pg_advisory_unlock(hashtext('portico_template'))").await;
    name
}

/// Drops the databases of processes that are gone, and templates of other migrations.
async fn remove_stale(conn: &mut PgConnection) {
    for name in databases(conn).await {
        let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split('_').next());
        let is_stale = match pid {
            Some(pid) => !Path::new("/proc").join(pid).exists(),
            None => name.starts_with(TEMPLATE_PREFIX),
        };
        if is_stale && Path::new("/proc/self").exists() {
            execute(conn, &format!("drop database if exists {name} with (force)")).await;
        }
    }
}

async fn databases(conn: &mut PgConnection) -> Vec<String> {
    #[expect(clippy::disallowed_methods, reason = "the databases themselves are no one's table")]
    sqlx::query_scalar("select datname::text from pg_database where not datistemplate")
        .fetch_all(conn)
        .await
        .unwrap()
}

async fn exists(conn: &mut PgConnection, name: &str) -> bool {
    databases(conn).await.iter().any(|it| it == name)
}

async fn maintenance() -> PgConnection {
    PgConnection::connect(&cluster::maintenance_url()).await.unwrap()
}

async fn execute(conn: &mut PgConnection, statement: &str) {
    let run = conn.execute(sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))).await;
    run.unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn new_name() -> String {
    format!("{PREFIX}{}_{}", std::process::id(), random::word())
}

/// Of the names and texts of all migrations.
fn digest() -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.file_name().unwrap().as_encoded_bytes());
        hash.update(std::fs::read(&file).unwrap());
    }
    random::hex(&hash.finalize()[..8])
}
