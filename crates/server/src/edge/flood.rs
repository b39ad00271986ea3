//! How much one address may ask before it is told to wait. A ceiling against floods and nothing
//! finer: assistants share a few addresses, so what a person may do is counted by connection.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use governor::middleware::NoOpMiddleware;
use ipnet::IpNet;
use portico_discovery::path::{AUTHORIZE, REGISTER, TOKEN};
use portico_pages::path::SIGN_IN;
use portico_tokens::Bearer;
use tower::ServiceExt as _;
use tower_governor::GovernorError;
use tower_governor::governor::{Governor, GovernorConfig, GovernorConfigBuilder};
use tower_governor::key_extractor::KeyExtractor;

use super::client::Client;
use super::place::{Place, Places};
use super::refusals::{Refusals, Visit};
use crate::dialect::{self, Dialect};

/// Hosted assistants send all their users from a few addresses, which may ask for more.
const SHARED_FACTOR: u32 = 20;

/// So many at once, and then one each time that so long has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) burst: NonZeroU32,
    pub(super) every: Duration,
}

const fn allowance(burst: u32, every: Duration) -> Allowance {
    let Some(burst) = NonZeroU32::new(burst) else { panic!("nothing would be allowed") };
    Allowance { burst, every }
}

/// Each makes a row that is kept for weeks.
const REGISTRATIONS: Allowance = allowance(500, Duration::from_secs(1));
/// Each makes a row that is kept for minutes.
const AUTHORIZATIONS: Allowance = allowance(2_000, Duration::from_millis(50));
/// Each costs tens of milliseconds of a core.
const SIGN_INS: Allowance = allowance(500, Duration::from_millis(500));
/// Those that were refused, by which somebody guesses or a client is stuck.
const BAD_TOKENS: Allowance = allowance(600, Duration::from_millis(100));
const BAD_CALLS: Allowance = allowance(2_000, Duration::from_millis(10));
/// The same from those whose token has the form of ours. A flood from beside them is not theirs, so
/// they have a ceiling for themselves: each costs one statement at most.
const BAD_BEARERS: Allowance = allowance(10_000, Duration::from_millis(2));
const OTHERS: Allowance = allowance(2_000, Duration::from_millis(10));

/// What is made for ordinary addresses, and again for shared ones.
#[derive(Debug)]
struct Tiers<T> {
    ordinary: T,
    shared: T,
}

impl<T> Tiers<T> {
    fn of(Allowance { burst, every }: Allowance, make: impl Fn(Allowance) -> T) -> Self {
        let factor = NonZeroU32::MIN.saturating_add(SHARED_FACTOR - 1);
        let more = Allowance { burst: burst.saturating_mul(factor), every: every / SHARED_FACTOR };
        Self { ordinary: make(Allowance { burst, every }), shared: make(more) }
    }

    fn tier(&self, is_shared: bool) -> &T {
        if is_shared { &self.shared } else { &self.ordinary }
    }

    fn each(&self, visit: impl Fn(&T)) {
        visit(&self.ordinary);
        visit(&self.shared);
    }
}

type Ceiling = GovernorConfig<ByPlace, NoOpMiddleware>;

/// The ceilings of this process.
#[derive(Debug)]
pub(super) struct Floods {
    shared_egress: Vec<IpNet>,
    places: Places,
    registrations: Tiers<Ceiling>,
    authorizations: Tiers<Ceiling>,
    sign_ins: Tiers<Ceiling>,
    others: Tiers<Ceiling>,
    bad_tokens: Tiers<Refusals>,
    bad_calls: Tiers<Refusals>,
    bad_bearers: Tiers<Refusals>,
}

#[derive(Clone, Copy, Debug)]
struct ByPlace;

impl KeyExtractor for ByPlace {
    type Key = Place;

    fn extract<T>(&self, request: &axum::http::Request<T>) -> Result<Place, GovernorError> {
        request.extensions().get().copied().ok_or(GovernorError::UnableToExtractKey)
    }
}

#[expect(clippy::expect_used, reason = "the allowances are constants, none of them zero")]
fn ceiling(Allowance { burst, every }: Allowance) -> Ceiling {
    let mut builder = GovernorConfigBuilder::default().key_extractor(ByPlace);
    builder.period(every).burst_size(burst.get()).finish().expect("no allowance is zero")
}

impl Floods {
    pub(super) fn new(shared_egress: Vec<IpNet>) -> Self {
        Self {
            shared_egress,
            places: Places::default(),
            registrations: Tiers::of(REGISTRATIONS, ceiling),
            authorizations: Tiers::of(AUTHORIZATIONS, ceiling),
            sign_ins: Tiers::of(SIGN_INS, ceiling),
            others: Tiers::of(OTHERS, ceiling),
            bad_tokens: Tiers::of(BAD_TOKENS, Refusals::new),
            bad_calls: Tiers::of(BAD_CALLS, Refusals::new),
            bad_bearers: Tiers::of(BAD_BEARERS, Refusals::new),
        }
    }

    /// The answer of the routes, or that the client must wait.
    pub(super) async fn pass(
        &self,
        client: Client,
        dialect: Dialect,
        routes: Router,
        mut request: Request,
    ) -> Response {
        let is_shared = self.shared_egress.iter().any(|it| it.contains(&client.0));
        let place = self.places.of(client);
        let ceiling = match &*dialect::path(request.uri().path()) {
            _ if dialect == Dialect::Rpc => {
                let token = request.headers().get(header::AUTHORIZATION);
                let knows_nobody = token.is_none();
                let refusals = if is_ours(token) { &self.bad_bearers } else { &self.bad_calls };
                let is_bad = |status| knows_nobody || is_stranger(status);
                let visit = Visit { place, dialect, request };
                return refusals.tier(is_shared).pass(visit, routes, is_bad).await;
            }
            TOKEN => {
                let is_bad = |status: StatusCode| status.is_client_error();
                let visit = Visit { place, dialect, request };
                return self.bad_tokens.tier(is_shared).pass(visit, routes, is_bad).await;
            }
            REGISTER => &self.registrations,
            AUTHORIZE => &self.authorizations,
            SIGN_IN if request.method() == Method::POST => &self.sign_ins,
            _ => &self.others,
        };
        request.extensions_mut().insert(place);
        let governed = Governor::new(routes, ceiling.tier(is_shared)).error_handler(move |error| {
            dialect.flooded(match error {
                GovernorError::TooManyRequests { wait_time, .. } => wait_time,
                GovernorError::UnableToExtractKey | GovernorError::Other { .. } => 0,
            })
        });
        match governed.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Gives back the memory of those who have not asked for a while.
    pub(super) fn prune(&self) {
        for ceiling in [&self.registrations, &self.authorizations, &self.sign_ins, &self.others] {
            ceiling.each(|it| {
                it.limiter().retain_recent();
                it.limiter().shrink_to_fit();
            });
        }
        for refusals in [&self.bad_tokens, &self.bad_calls, &self.bad_bearers] {
            refusals.each(Refusals::prune);
        }
    }
}

/// Whether we could have minted it, which is seen without asking anybody.
fn is_ours(token: Option<&HeaderValue>) -> bool {
    Bearer::parse(token.map(HeaderValue::as_bytes)).is_ok_and(|it| it.is_known(&[]))
}

/// Not known here, or not to anybody: what costs us and brings nobody anything.
fn is_stranger(status: StatusCode) -> bool {
    let strangers =
        [StatusCode::UNAUTHORIZED, StatusCode::NOT_FOUND, StatusCode::MISDIRECTED_REQUEST];
    strangers.contains(&status)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use portico_model::{Kind, PlainToken};

    use super::*;

    /// More than any ceiling lets through at the speed of a test.
    const MANY: usize = 1_000_000;

    async fn ask(floods: &Floods, from: &str, token: Option<&str>) -> StatusCode {
        let nobody = Router::new().fallback(async || StatusCode::UNAUTHORIZED);
        let mut request = Request::post("/mcp/boards");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Body::empty()).unwrap();
        let client = Client(from.parse().unwrap());
        floods.pass(client, Dialect::Rpc, nobody, request).await.status()
    }

    async fn flood(floods: &Floods, token: Option<&str>) -> usize {
        for passed in 0..MANY {
            if ask(floods, "192.0.2.1", token).await == StatusCode::TOO_MANY_REQUESTS {
                return passed;
            }
        }
        panic!("nobody has to wait");
    }

    // sec:N12
    #[tokio::test]
    async fn whoever_has_a_token_of_ours_does_not_wait_for_those_who_have_none() {
        let floods = Floods::new(Vec::new());
        let ours = PlainToken::mint(Kind::AccessToken, [7; 32]);
        let ours = ours.expose();
        for bad in [None, Some("portico_at_guess"), Some("a-token-of-another-system")] {
            flood(&floods, bad).await;
            assert_eq!(ask(&floods, "192.0.2.1", Some(ours)).await, 401, "{bad:?}");
        }
        // They have a ceiling, too, since the form alone can be forged.
        assert!(flood(&floods, Some(ours)).await >= 9_000);
        assert_eq!(ask(&floods, "192.0.2.2", Some(ours)).await, 401);
    }
}
