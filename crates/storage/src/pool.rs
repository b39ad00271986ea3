//! Connections and transactions, and whether the database is there at all.

use std::io;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection};
use tokio::sync::watch;

use crate::Result;

/// A connection, inside a transaction or not.
pub type Conn = sqlx::PgConnection;

/// A transaction. Dropped without `commit`, it changes nothing.
pub type Tx = sqlx::Transaction<'static, sqlx::Postgres>;

/// The process's connections. Never take a second one while holding one: a small pool would wait
/// for itself.
#[derive(Clone, Debug)]
pub struct Pool {
    conns: sqlx::PgPool,
    is_away: Arc<watch::Sender<bool>>,
}

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
    Ok(Pool { conns: pool, is_away: Arc::new(watch::Sender::new(false)) })
}

/// Brings the schema up to date. Several processes may try at once: one works, the others wait
/// for it, which is why a connection of its own is used, without the limits of a request.
pub async fn migrate(url: &str) -> Result<()> {
    let mut conn = PgConnection::connect_with(&options(url)?).await?;
    sqlx::migrate!().run(&mut conn).await?;
    Ok(conn.close().await?)
}

pub async fn acquire(pool: &Pool) -> Result<sqlx::pool::PoolConnection<sqlx::Postgres>> {
    pool.check_there()?;
    Ok(pool.conns.acquire().await?)
}

pub async fn begin(pool: &Pool) -> Result<Tx> {
    begin_with(pool, "BEGIN").await
}

/// A transaction in which the database refuses every change. It costs no statement more than
/// another.
pub async fn begin_read(pool: &Pool) -> Result<Tx> {
    begin_with(pool, "BEGIN READ ONLY").await
}

async fn begin_with(pool: &Pool, statement: &'static str) -> Result<Tx> {
    retrying(pool, || async {
        pool.check_there()?;
        Ok(pool.conns.begin_with(statement).await?)
    })
    .await
}

/// Attempts until a connection is not found dead, as often as there may be dead ones. What is
/// attempted must do no harm twice.
pub(crate) async fn retrying<T, F>(pool: &Pool, attempt: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    for _ in 0..pool.conns.options().get_max_connections() {
        match attempt().await {
            Err(error) if error.is_dead_connection() => {}
            answer => return answer,
        }
    }
    attempt().await
}

pub async fn commit(tx: Tx) -> Result<()> {
    Ok(tx.commit().await?)
}

fn options(url: &str) -> Result<PgConnectOptions> {
    Ok(PgConnectOptions::from_str(url)?.application_name("portico"))
}

impl Pool {
    /// Ends every connection; what was running is waited for.
    pub async fn close(&self) {
        self.conns.close().await;
    }

    /// Says that the database does not answer, or does again. While it does not, nobody is let
    /// wait for it: whoever wants a connection is told at once.
    pub fn declare(&self, reach: Reach) {
        self.is_away.send_if_modified(|is_away| {
            let changed = *is_away != (reach == Reach::Away);
            *is_away = reach == Reach::Away;
            changed
        });
    }

    pub fn is_away(&self) -> bool {
        *self.is_away.borrow()
    }

    /// Ends when the database is declared away from now on; that it is so already does not count.
    pub fn going_away(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut is_away = self.is_away.subscribe();
        async move {
            while is_away.changed().await.is_ok() {
                if *is_away.borrow() {
                    return;
                }
            }
            std::future::pending::<()>().await;
        }
    }

    fn check_there(&self) -> Result<()> {
        if self.is_away() {
            let away = io::Error::new(io::ErrorKind::NotConnected, "the database is away");
            return Err(sqlx::Error::Io(away).into());
        }
        Ok(())
    }
}

/// Whether the database answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    There,
    Away,
}

/// A connection outside of the pool, which only asks whether the database answers: the pool's own
/// may all be busy when it does not.
#[derive(Debug)]
pub struct Heart {
    options: Arc<PgConnectOptions>,
    conn: Option<PgConnection>,
}

impl Heart {
    pub fn of(pool: &Pool) -> Self {
        Self { options: pool.conns.connect_options(), conn: None }
    }

    /// Asks once. Cut off or refused, it leaves nothing behind, and the next beat connects anew.
    pub async fn beat(&mut self) -> Result<()> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => PgConnection::connect_with(&self.options).await?,
        };
        conn.ping().await?;
        self.conn = Some(conn);
        Ok(())
    }
}
