//! What a connection may do in a time, and what a caller above it is told. Calls a minute are
//! leased by the slice, writes a day are counted one by one.

use portico_declaration::Limits;
use portico_model::Scope;
use portico_storage::admit::Admission;
use portico_storage::{self as storage, call_lease, write_budget};
use time::OffsetDateTime;

use crate::call::{Call, Means};
use crate::leases::{Rate, Trouble};
use crate::{Reason, Reply};

const SECONDS_A_DAY: u32 = 24 * 60 * 60;

/// Takes one of the minute's calls.
pub(crate) async fn rate(
    means: Means<'_>,
    admission: &Admission,
    call: &Call<'_>,
) -> Result<Rate, Trouble<storage::Error>> {
    let Admission { connection, now, .. } = *admission;
    let allowance = call.limits.calls_per_minute;
    let ask = call_lease::take(means.pool, call.tenant, connection, allowance);
    means.leases.take((call.tenant, connection), allowance, now, ask).await
}

/// Counts a call that changes something, before it does; what is refused before costs nothing.
/// Answers what the caller is told if it may not.
pub(crate) async fn charge(
    means: Means<'_>,
    admission: &Admission,
    call: &Call<'_>,
    scope: Scope,
) -> storage::Result<Result<(), Reply>> {
    match scope {
        Scope::Read => return Ok(Ok(())),
        Scope::Write | Scope::Delete => {}
    }
    let allowed = call.limits.writes_per_day;
    let mut conn = storage::acquire(means.pool).await?;
    let used = write_budget::charge(&mut conn, call.tenant, admission.connection, allowed).await?;
    Ok(used.map(drop).ok_or_else(|| over_budget(allowed, admission.now)))
}

/// Clients show this and do not call again by themselves.
pub(crate) fn over_rate(limits: Limits, wait: u32) -> Reply {
    let allowance = limits.calls_per_minute;
    let calls = if allowance == 1 { "call" } else { "calls" };
    let words = format!(
        "limit reached: this connection may make {allowance} {calls} a minute; try again in \
         {wait} s"
    );
    Reply::refused_for(wait, Reason::RateLimited, words)
}

fn over_budget(allowed: u32, now: OffsetDateTime) -> Reply {
    let (hours, minutes, seconds) = now.to_offset(time::UtcOffset::UTC).to_hms();
    let passed = (u32::from(hours) * 60 + u32::from(minutes)) * 60 + u32::from(seconds);
    let words = format!("daily write budget reached ({allowed}/day), resumes at UTC midnight");
    Reply::refused_for(SECONDS_A_DAY - passed, Reason::WriteBudget, words)
}
