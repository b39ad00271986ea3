//! A ceiling for what was refused alone: whoever is let in is never counted here, however much they
//! ask. While a place is above one, all who are counted by it there wait, good or bad: looking who is
//! good is what the flood would make us do. Knows no route, and not who is counted by which.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tower::ServiceExt as _;

use super::flood::Allowance;
use super::place::Place;
use crate::dialect::Dialect;

pub(super) struct Refusals {
    limiter: DefaultKeyedRateLimiter<Place>,
    began_at: Instant,
    /// Until when each place must wait, in microseconds since the beginning. The limiter itself can
    /// only be asked by counting.
    waits_until: Box<[AtomicU64]>,
}

impl fmt::Debug for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusals").finish_non_exhaustive()
    }
}

/// A request, and how it is counted and answered where it is one too many.
pub(super) struct Visit {
    pub(super) place: Place,
    pub(super) dialect: Dialect,
    pub(super) request: Request,
}

impl Refusals {
    #[expect(clippy::expect_used, reason = "the allowances are constants, none of them zero")]
    pub(super) fn new(Allowance { burst, every }: Allowance) -> Self {
        let quota = Quota::with_period(every).expect("no allowance is zero").allow_burst(burst);
        Self {
            limiter: RateLimiter::keyed(quota),
            began_at: Instant::now(),
            waits_until: (0..Place::COUNT).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The answer of the routes, which counts if it is a bad one; or that the client must wait.
    pub(super) async fn pass(
        &self,
        visit: Visit,
        routes: Router,
        is_bad: impl Fn(StatusCode) -> bool,
    ) -> Response {
        let Visit { place, dialect, request } = visit;
        if let Some(wait) = self.wait(place) {
            return dialect.flooded(wait.as_secs());
        }
        let response = match routes.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if is_bad(response.status()) {
            self.count(place);
        }
        response
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began_at.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn wait(&self, place: Place) -> Option<Duration> {
        let until = self.waits_until.get(place.index())?.load(Relaxed);
        let left = until.checked_sub(self.now()).filter(|left| *left > 0);
        left.map(Duration::from_micros)
    }

    fn count(&self, place: Place) {
        let Err(too_early) = self.limiter.check_key(&place) else { return };
        let wait = too_early.wait_time_from(DefaultClock::default().now());
        let until = self.now().saturating_add(u64::try_from(wait.as_micros()).unwrap_or(u64::MAX));
        if let Some(waits_until) = self.waits_until.get(place.index()) {
            waits_until.fetch_max(until, Relaxed);
        }
    }

    pub(super) fn prune(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::num::NonZeroU32;

    use super::*;
    use crate::edge::client::Client;
    use crate::edge::place::Places;

    // sec:N11
    #[test]
    fn however_many_addresses_are_refused_they_are_remembered_in_bounded_memory() {
        let places = Places::default();
        let slow = Allowance { burst: NonZeroU32::MIN, every: Duration::from_hours(1) };
        let refusals = Refusals::new(slow);
        for address in 0..200_000 {
            refusals.count(places.of(Client(Ipv4Addr::from_bits(address).into())));
        }
        assert!(refusals.limiter.len() <= Place::COUNT);
        let again = places.of(Client(Ipv4Addr::LOCALHOST.into()));
        refusals.count(again);
        refusals.count(again);
        assert!(refusals.wait(again).is_some());

        let quick = Allowance { burst: NonZeroU32::MIN, every: Duration::from_nanos(1) };
        let refusals = Refusals::new(quick);
        refusals.count(places.of(Client(Ipv4Addr::LOCALHOST.into())));
        refusals.prune();
        assert_eq!(refusals.limiter.len(), 0);
    }
}
