//! Connections and transactions.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::Result;

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

/// Opens a pool of up to `size` connections; the first is made now, so that a wrong address is
/// an error here.
pub async fn connect(url: &str, size: u32) -> Result<Pool> {
    let options =
        PgConnectOptions::from_str(url)?.application_name("portico").options(SERVER_LIMITS);
    let pool = PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // Asking first would double the round trips; a dead connection is met by one retry.
        .test_before_acquire(false)
        .connect_with(options)
        .await?;
    Ok(Pool(pool))
}

/// Brings the schema up to date. Several processes may try at once.
pub async fn migrate(pool: &Pool) -> Result<()> {
    sqlx::migrate!().run(&pool.0).await?;
    Ok(())
}

pub async fn acquire(pool: &Pool) -> Result<sqlx::pool::PoolConnection<sqlx::Postgres>> {
    Ok(pool.0.acquire().await?)
}

pub async fn begin(pool: &Pool) -> Result<Tx> {
    Ok(pool.0.begin().await?)
}

pub async fn commit(tx: Tx) -> Result<()> {
    Ok(tx.commit().await?)
}

impl Pool {
    /// Ends every connection; what was running is waited for.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
