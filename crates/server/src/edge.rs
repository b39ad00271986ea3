//! What every request of the public listener passes before anybody asks whose it is: strict HTTP,
//! the ceilings against floods, and a database that may go away meanwhile. Knows no route.

mod client;
mod flood;
mod place;
mod refusals;
mod strict;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use ipnet::IpNet;
use portico_model::WELL_KNOWN;
use portico_storage::Pool;
use portico_vanity::Host;
use tokio::time::interval;
use tower::ServiceExt as _;
use tracing::{Instrument as _, Span};

use self::client::{Client, Proxies};
use self::flood::Floods;
use crate::cors;
use crate::dialect::Dialect;
use crate::listen::Peer;
use crate::task;

/// Each address has some of them.
const METHODS: &str = "GET, HEAD, POST, DELETE, OPTIONS";

const PRUNE_EVERY: Duration = Duration::from_secs(10);

/// What is known of addresses here. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Edge(Arc<Known>);

#[derive(Debug)]
struct Known {
    proxies: Proxies,
    floods: Floods,
}

impl Edge {
    /// The operator's own proxies, and the networks from which assistants send all their users.
    pub fn new(proxies: Vec<IpNet>, shared_egress: Vec<IpNet>) -> Self {
        let floods = Floods::new(shared_egress);
        Self(Arc::new(Known { proxies: Proxies(proxies), floods }))
    }

    /// Until it is told to stop.
    pub(crate) async fn prune(self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut often = interval(PRUNE_EVERY);
        loop {
            tokio::select! {
                _ = often.tick() => self.0.floods.prune(),
                () = &mut stop => return,
            }
        }
    }
}

/// Puts the edge around everything that looks for a tenant.
pub fn around(edge: Edge, pool: Pool, routes: Router) -> Router {
    Router::new().fallback(guard).with_state(Guarded { edge, pool, routes })
}

#[derive(Clone)]
struct Guarded {
    edge: Edge,
    pool: Pool,
    routes: Router,
}

async fn guard(State(guarded): State<Guarded>, request: Request) -> Response {
    let dialect = Dialect::of(&request);
    let mut response = let_in(guarded, dialect, request).await;
    // Where scripts may read an answer of the routes, they may read one of the edge.
    if dialect == Dialect::OAuth {
        cors::mark(&mut response);
    }
    response
}

async fn let_in(guarded: Guarded, dialect: Dialect, mut request: Request) -> Response {
    if let Err(malformed) = strict::check(&mut request, dialect) {
        let mut response = dialect.refuse(malformed.status, malformed.words);
        // What follows on this connection is not to be trusted either.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        if malformed.status == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(METHODS));
        }
        return response;
    }
    // Before the request begins, or it could miss that the database went away.
    let going_away = guarded.pool.going_away();
    let again = document(&request);
    // In a task of its own, which goes on when the client has gone: cut off in the middle, a
    // connection of the pool would be left inside a transaction that nobody ends.
    let mut answer = task::start(guarded.clone().answer_if_there(dialect, request));
    tokio::select! {
        // An answer that is there is better than none.
        biased;
        answer = &mut answer => match answer {
            Ok(Some(response)) => response,
            Ok(None) => dialect.away(),
            // A panic costs its request and nothing else.
            Err(ended) => dialect.broken(&ended),
        },
        () = going_away => match again {
            // From the last that was seen, now that nobody waits for the database.
            Some(again) => guarded.answer(dialect, again).await,
            None => dialect.away(),
        },
    }
}

impl Guarded {
    /// Nothing, if the connections to the database are given up before.
    async fn answer_if_there(self, dialect: Dialect, request: Request) -> Option<Response> {
        let giving_up = self.pool.giving_up();
        tokio::select! {
            biased;
            response = self.answer(dialect, request) => Some(response),
            () = giving_up => {
                tracing::warn!("a request was given up, which still waited for the database");
                None
            }
        }
    }

    async fn answer(self, dialect: Dialect, request: Request) -> Response {
        let Self { edge, routes, .. } = self;
        let Known { proxies, floods } = &*edge.0;
        let peer = request.extensions().get::<Peer>();
        // Without one it comes from within the process, and is nobody's flood.
        let Some(Peer(peer)) = peer.copied() else {
            return routes.oneshot(request).await.unwrap_or_else(|never| match never {});
        };
        let client = proxies.client(peer, request.headers());
        let span = span(client);
        floods.pass(client, dialect, routes, request).instrument(span).await
    }
}

/// In front of every line that the log has about a request.
fn span(client: Client) -> Span {
    tracing::info_span!("request", client = %client.0)
}

/// The request once more, if it asks for a document that helps clients to find their way.
fn document(request: &Request) -> Option<Request> {
    let is_document =
        request.method() == Method::GET && request.uri().path().starts_with(WELL_KNOWN);
    is_document.then(|| {
        let mut again = Request::new(Body::empty());
        *again.uri_mut() = request.uri().clone();
        *again.headers_mut() = request.headers().clone();
        if let Some(host) = request.extensions().get::<Host>() {
            again.extensions_mut().insert(host.clone());
        }
        again
    })
}
