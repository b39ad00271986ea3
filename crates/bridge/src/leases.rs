//! The calls of a minute that this process has leased and not made yet, a slice a connection. It
//! knows no other clock than the time that each caller was let in at, which is the database's.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use portico_model::{ConnectionId, TenantId};
use portico_storage::call_lease::Lease;
use time::OffsetDateTime;

/// Of connections. Those above it lose their slices, which costs them calls and nobody else.
const MOST: usize = 65_536;

pub(crate) type Key = (TenantId, ConnectionId);

/// Cheap to clone; one a process. What is in it may be lost at any time: it was leased, so that
/// nobody else makes these calls either.
#[derive(Clone, Debug, Default)]
pub struct Leases(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    /// The newest minute that anybody was let in at.
    minute: i64,
    holdings: HashMap<Key, Arc<Holding>>,
}

/// What one connection has left. Whoever wants a call holds the slice, so that one at a time asks
/// for the next.
#[derive(Debug, Default)]
struct Holding {
    slice: tokio::sync::Mutex<Option<Slice>>,
    failures: AtomicU64,
}

#[derive(Debug)]
struct Slice {
    /// Another declaration has another allowance, and its own slices.
    allowance: u32,
    /// The beginning of its minute.
    begins_at: OffsetDateTime,
    left: u32,
    /// Nothing of the minute is left, here or anywhere.
    is_last: bool,
}

/// Whether a call is within the allowance.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// It counts at this time: in the minute that it was let in at, or, where that ended meanwhile
    /// and its slices with it, in the next.
    Within(OffsetDateTime),
    Over {
        /// Seconds to the next minute.
        wait: u32,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble<E> {
    Asking(E),
    /// Somebody asked while this one waited, and had no answer.
    Shared,
}

impl Leases {
    /// Takes one call for somebody let in at `now`. `ask` is the statement for another slice,
    /// which is seldom needed.
    pub(crate) async fn take<E>(
        &self,
        key: Key,
        allowance: u32,
        now: OffsetDateTime,
        ask: impl Future<Output = Result<Option<Lease>, E>>,
    ) -> Result<Rate, Trouble<E>> {
        let holding = self.holding(key, minute(now));
        let failures = holding.failures.load(Ordering::SeqCst);
        let mut slice = holding.slice.lock().await;
        // Each waiting for an answer of its own would wait long.
        if holding.failures.load(Ordering::SeqCst) != failures {
            return Err(Trouble::Shared);
        }
        if let Some(rate) = slice.as_mut().and_then(|slice| slice.spend(allowance, now)) {
            return Ok(rate);
        }
        let leased = ask.await.map_err(|error| {
            holding.failures.fetch_add(1, Ordering::SeqCst);
            Trouble::Asking(error)
        })?;
        let slice = slice.insert(Slice::new(allowance, leased, now));
        Ok(slice.spend(allowance, now).unwrap_or_else(|| over(now)))
    }

    fn holding(&self, key: Key, minute: i64) -> Arc<Holding> {
        let mut held = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minute > held.minute {
            held.minute = minute;
            held.holdings.retain(|_, holding| holding.is_used() || holding.is_of(minute));
        }
        if held.holdings.len() >= MOST && !held.holdings.contains_key(&key) {
            held.holdings.retain(|_, holding| holding.is_used());
        }
        Arc::clone(held.holdings.entry(key).or_default())
    }
}

impl Holding {
    fn is_used(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1
    }

    fn is_of(&self, from: i64) -> bool {
        let slice = self.slice.try_lock();
        slice.is_ok_and(|slice| slice.as_ref().is_some_and(|it| minute(it.begins_at) >= from))
    }
}

impl Slice {
    fn new(allowance: u32, leased: Option<Lease>, now: OffsetDateTime) -> Self {
        match leased {
            Some(Lease { minute: begins_at, calls: left }) => {
                Self { allowance, begins_at, left, is_last: false }
            }
            None => Self { allowance, begins_at: now, left: 0, is_last: true },
        }
    }

    /// `None`: it has nothing to say about a call of that time.
    fn spend(&mut self, allowance: u32, now: OffsetDateTime) -> Option<Rate> {
        let ahead = minute(self.begins_at) - minute(now);
        // Who was let in at the end of a minute may come when a slice is of the next.
        if allowance != self.allowance || !(0..=1).contains(&ahead) {
            return None;
        }
        if self.is_last {
            return Some(over(now));
        }
        self.left = self.left.checked_sub(1)?;
        Some(Rate::Within(now.max(self.begins_at)))
    }
}

fn over(now: OffsetDateTime) -> Rate {
    Rate::Over { wait: 60 - u32::from(now.second()) }
}

fn minute(at: OffsetDateTime) -> i64 {
    at.unix_timestamp().div_euclid(60)
}

#[cfg(test)]
mod tests;
