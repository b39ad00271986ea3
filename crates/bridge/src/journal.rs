//! Writes the record in batches, for as long as there is someone who calls. While the database is
//! away nothing is lost: the queue fills up, and calls wait. Background work is answered to nobody,
//! so its failures are logged here, where they end.

use std::collections::HashSet;
use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use portico_model::{ConnectionId, TenantId};
use portico_storage::call::{self, Call};
use portico_storage::{self as storage, Pool, connection};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, interval, sleep, timeout_at};

use crate::recorder::Entry;

const LARGEST_BATCH: usize = 500;

/// How long the first row of a batch waits for others.
const GATHERING: Duration = Duration::from_millis(200);

/// A connection is said to be used at most this often.
const TOUCH_EVERY: Duration = Duration::from_mins(1);

/// Several times a day, so that one failure does not matter: partitions are made days ahead.
const PARTITION_EVERY: Duration = Duration::from_hours(6);

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The other end of every recorder.
#[derive(Debug)]
pub struct Journal {
    entries: Receiver<Entry>,
    touched: HashSet<(TenantId, ConnectionId)>,
    touched_since: Instant,
}

impl Journal {
    pub(crate) fn new(entries: Receiver<Entry>) -> Self {
        Self { entries, touched: HashSet::new(), touched_since: Instant::now() }
    }

    /// Ends when every recorder is gone, or no call is to begin any more, and every row is written.
    pub async fn run(mut self, pool: Pool, no_more: impl Future<Output = ()>) {
        let mut partition_time = interval(PARTITION_EVERY);
        let mut no_more = pin!(no_more);
        loop {
            tokio::select! {
                // A call that is under way has its place, and is still waited for.
                () = &mut no_more, if !self.entries.is_closed() => self.entries.close(),
                _ = partition_time.tick() => ensure_partitions(&pool).await,
                first = self.entries.recv() => match first {
                    Some(first) => {
                        let batch = self.gather(first).await;
                        self.write(&pool, batch).await;
                    }
                    None => return,
                },
            }
        }
    }

    async fn gather(&mut self, first: Entry) -> Vec<Entry> {
        let mut batch = vec![first];
        let deadline = Instant::now() + GATHERING;
        while batch.len() < LARGEST_BATCH {
            match timeout_at(deadline, self.entries.recv()).await {
                Ok(Some(entry)) => batch.push(entry),
                Ok(None) | Err(_) => break,
            }
        }
        batch
    }

    async fn write(&mut self, pool: &Pool, batch: Vec<Entry>) {
        let mut calls = Vec::new();
        let mut used = HashSet::new();
        for entry in batch {
            match entry {
                Entry::Call(call) => {
                    used.insert((call.tenant, call.connection));
                    calls.push(*call);
                }
                Entry::Written(tenant, connection) => {
                    used.insert((tenant, connection));
                }
            }
        }
        if !calls.is_empty() {
            write_all(pool, &calls).await;
        }
        self.touch(pool, used).await;
    }

    /// The time of last use is worth one attempt: the next call brings another.
    async fn touch(&mut self, pool: &Pool, used: HashSet<(TenantId, ConnectionId)>) {
        if self.touched_since.elapsed() >= TOUCH_EVERY {
            self.touched.clear();
            self.touched_since = Instant::now();
        }
        let mut due: Vec<_> = used.difference(&self.touched).copied().collect();
        if due.is_empty() {
            return;
        }
        due.sort_unstable();
        match touch(pool, &due).await {
            Ok(()) => self.touched.extend(due),
            Err(error) => {
                let error = behind(&error);
                tracing::warn!(error, "the last use of connections was not written");
            }
        }
    }
}

async fn touch(pool: &Pool, used: &[(TenantId, ConnectionId)]) -> storage::Result<()> {
    pool.attempt(async {
        let mut conn = storage::acquire(pool).await?;
        connection::touch(&mut conn, used).await
    })
    .await
}

async fn ensure_partitions(pool: &Pool) {
    let made = async {
        let mut conn = storage::acquire(pool).await?;
        call::ensure_partitions(&mut conn).await
    };
    if let Err(error) = pool.attempt(made).await {
        tracing::error!(error = behind(&error), "partitions for the record were not made");
    }
}

/// One statement; where the database refuses it, each row by itself, so that one bad row costs
/// only itself.
async fn write_all(pool: &Pool, calls: &[Call]) {
    let Err(error) = insist(pool, calls).await else { return };
    let rows = calls.len();
    tracing::error!(error = behind(&error), rows, "a batch of the record was refused");
    for call in calls {
        if let Err(error) = insist(pool, std::slice::from_ref(call)).await {
            tracing::error!(error = behind(&error), call = %call.id, "a call is not in the record");
        }
    }
}

/// Tries until the database is there.
async fn insist(pool: &Pool, calls: &[Call]) -> storage::Result<()> {
    let mut pause = FIRST_PAUSE;
    loop {
        match insert(pool, calls).await {
            Err(error) if error.is_outage() => {
                let rows = calls.len();
                tracing::warn!(error = behind(&error), rows, "the record waits for the database");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            settled => return settled,
        }
    }
}

async fn insert(pool: &Pool, calls: &[Call]) -> storage::Result<()> {
    pool.attempt(async {
        let mut conn = storage::acquire(pool).await?;
        call::insert(&mut conn, calls).await
    })
    .await
}

/// The error in the form in which a log prints all of its causes.
fn behind(error: &storage::Error) -> &(dyn Error + Send + Sync + 'static) {
    error
}
