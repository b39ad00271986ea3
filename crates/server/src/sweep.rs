//! Forgetting in time: what has run out is removed, and sealed answers go with their grace. It
//! decides nothing: whoever asks is refused by the row's own time, gone or not. Every instance
//! sweeps, and none waits for another.

use std::pin::pin;
use std::time::Duration;

use portico_storage::{
    self as storage, Conn, Pool, access_token, authorization_code, authorization_request,
    call_lease, client, refresh_token, session, write_budget,
};
use portico_tokens::GRACE;

const PAUSE: Duration = Duration::from_secs(30);

/// What is old by days is looked for in every so many rounds.
const SLOW: u32 = 20;

/// Rows that one statement may lock.
const BATCH: u16 = 1_000;

/// Until it is told to stop.
pub(crate) async fn run(pool: Pool, stop: impl Future<Output = ()>) {
    let mut stop = pin!(stop);
    let mut is_failing = false;
    for round in (0..SLOW).cycle() {
        let swept = tokio::select! {
            swept = pool.attempt(sweep(&pool, round == 0)) => swept,
            () = &mut stop => return,
        };
        match swept {
            // What fails in a slow round is not looked at in the others.
            Ok(()) => is_failing &= round != 0,
            // An outage is told once, not in every round of it.
            Err(_) if is_failing => {}
            Err(error) => {
                is_failing = true;
                let error: &(dyn std::error::Error + 'static) = &error;
                tracing::error!(error, "what has run out could not be removed");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = &mut stop => return,
        }
    }
}

/// One round. Where something cannot be removed the rest is all the same; the first error is
/// answered.
pub async fn sweep(pool: &Pool, is_slow: bool) -> Result<(), storage::Error> {
    let mut swept = remove_all(pool, Old::SealedAnswers).await;
    if is_slow {
        for old in Old::BY_DAYS {
            swept = swept.and(remove_all(pool, *old).await);
        }
    }
    swept
}

async fn remove_all(pool: &Pool, old: Old) -> Result<(), storage::Error> {
    loop {
        let mut conn = storage::acquire(pool).await?;
        if old.remove(&mut conn).await? < u64::from(BATCH) {
            return Ok(());
        }
    }
}

#[derive(Clone, Copy)]
enum Old {
    SealedAnswers,
    Requests,
    Codes,
    AccessTokens,
    RefreshTokens,
    Sessions,
    Clients,
    Leases,
    Budgets,
}

impl Old {
    /// Requests before the clients that they are of.
    const BY_DAYS: &[Self] = &[
        Self::Requests,
        Self::Codes,
        Self::AccessTokens,
        Self::RefreshTokens,
        Self::Sessions,
        Self::Clients,
        Self::Leases,
        Self::Budgets,
    ];

    async fn remove(self, conn: &mut Conn) -> Result<u64, storage::Error> {
        let most = i64::from(BATCH);
        match self {
            Self::SealedAnswers => refresh_token::erase_answers(conn, GRACE, most).await,
            Self::Requests => authorization_request::sweep(conn, most).await,
            Self::Codes => authorization_code::sweep(conn, most).await,
            Self::AccessTokens => access_token::sweep(conn, most).await,
            Self::RefreshTokens => refresh_token::sweep(conn, most).await,
            Self::Sessions => session::sweep(conn, most).await,
            Self::Clients => client::sweep(conn, most).await,
            Self::Leases => call_lease::sweep(conn, most).await,
            Self::Budgets => write_budget::sweep(conn, most).await,
        }
    }
}
