//! Connections and transactions, and whether the database is there at all.

use std::io;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, Postgres};
use tokio::sync::watch;

use crate::{Error, Result};

/// A connection, inside a transaction or not.
pub type Conn = sqlx::PgConnection;

/// A transaction. Dropped without `commit`, it changes nothing.
pub type Tx = sqlx::Transaction<'static, sqlx::Postgres>;

/// The process's connections. Never take a second one while holding one: a small pool would wait
/// for itself.
#[derive(Clone, Debug)]
pub struct Pool {
    conns: Arc<watch::Sender<sqlx::PgPool>>,
    standing: Arc<watch::Sender<Standing>>,
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

/// A database that was away for longer than it gives itself for a statement does not come back on
/// the same connections: whoever waits on one would wait until the system gives it up, which takes a
/// quarter of an hour where packets are lost.
const LOST_AFTER: Duration = Duration::from_secs(6);

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
    let standing = Arc::new(watch::Sender::new(Standing::There));
    Ok(Pool { conns: Arc::new(watch::Sender::new(pool)), standing })
}

/// Brings the schema up to date. Several processes may try at once: one works, the others wait
/// for it, which is why a connection of its own is used, without the limits of a request.
pub async fn migrate(url: &str) -> Result<()> {
    let mut conn = PgConnection::connect_with(&options(url)?).await?;
    sqlx::migrate!().run(&mut conn).await?;
    Ok(conn.close().await?)
}

/// A connection that answers: one that died while it rested, however shortly, is replaced.
pub async fn acquire(pool: &Pool) -> Result<PoolConnection<Postgres>> {
    retrying(pool, || async {
        let mut conn = take(pool).await?;
        conn.ping().await?;
        Ok(conn)
    })
    .await
}

/// A connection that may be dead, for who asks once more by themselves, and cannot wait for another
/// round trip.
pub(crate) async fn take(pool: &Pool) -> Result<PoolConnection<Postgres>> {
    pool.check_there()?;
    Ok(pool.conns().acquire().await?)
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
        Ok(pool.conns().begin_with(statement).await?)
    })
    .await
}

/// Attempts until a connection is not found dead, as often as there may be dead ones. What is
/// attempted must do no harm twice.
pub(crate) async fn retrying<T, F>(pool: &Pool, attempt: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    for _ in 0..pool.conns().options().get_max_connections() {
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
        self.conns().close().await;
    }

    /// Says that the database does not answer, or does again. While it does not, nobody is let
    /// wait for it: whoever wants a connection is told at once. Said again and again for long
    /// enough, it costs the connections that there are.
    pub fn declare(&self, reach: Reach) {
        self.standing.send_if_modified(|standing| {
            let now = match (reach, *standing) {
                (Reach::There, _) => Standing::There,
                (Reach::Away, Standing::There) => Standing::Away(Instant::now()),
                (Reach::Away, Standing::Away(since)) if since.elapsed() >= LOST_AFTER => {
                    self.replace();
                    Standing::Lost
                }
                (Reach::Away, same @ (Standing::Away(_) | Standing::Lost)) => same,
            };
            let has_changed = now != *standing;
            *standing = now;
            has_changed
        });
    }

    pub fn is_away(&self) -> bool {
        *self.standing.borrow() != Standing::There
    }

    /// Ends when the database is declared away from now on; that it is so already does not count.
    pub fn going_away(&self) -> impl Future<Output = ()> + Send + use<> {
        self.comes_to(|standing| standing != Standing::There)
    }

    /// Ends when the connections that there are now have been given up. What still waits on one is
    /// to be dropped.
    pub fn giving_up(&self) -> impl Future<Output = ()> + Send + use<> {
        self.comes_to(|standing| standing == Standing::Lost)
    }

    /// What the database answers, or an outage when its connection is given up meanwhile. For who
    /// would otherwise wait for it alone. It may be done all the same.
    pub async fn attempt<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let giving_up = self.giving_up();
        tokio::select! {
            biased;
            answer = work => answer,
            () = giving_up => Err(away()),
        }
    }

    fn comes_to(&self, is_it: fn(Standing) -> bool) -> impl Future<Output = ()> + Send + use<> {
        let mut standing = self.standing.subscribe();
        async move {
            while standing.changed().await.is_ok() {
                if is_it(*standing.borrow()) {
                    return;
                }
            }
            std::future::pending::<()>().await;
        }
    }

    fn conns(&self) -> sqlx::PgPool {
        self.conns.borrow().clone()
    }

    /// Others from now on. Of the old ones, whatever comes back is closed, also one that was left
    /// in the middle of something.
    fn replace(&self) {
        let old = self.conns();
        let new = old.options().clone().connect_lazy_with((*old.connect_options()).clone());
        self.conns.send_replace(new);
        // Closed at once; what it would wait for is what does not come.
        drop(old.close());
    }

    fn check_there(&self) -> Result<()> {
        if self.is_away() {
            return Err(away());
        }
        Ok(())
    }
}

fn away() -> Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::NotConnected, "the database is away")).into()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    There,
    Away(Instant),
    /// For so long that every connection of that time was given up.
    Lost,
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
        Self { options: pool.conns().connect_options(), conn: None }
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
