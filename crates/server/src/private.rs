//! The private listener, for whoever runs the process: whether it lives, and whether it is to be
//! sent requests. Tells nothing about tenants, and is reached by no client.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Serialize;
use tokio::sync::watch;

use crate::error::json;

const LIVEZ: &str = "/livez";
const READYZ: &str = "/readyz";

/// Where the process is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The database has not been reached yet.
    Starting,
    /// Answers requests, if only to say that the database is away.
    Serving,
    /// Goes on answering while balancers look elsewhere, then ends.
    Stopping,
}

/// The stage, told to everyone who asks.
#[derive(Clone, Debug)]
pub(crate) struct Life(watch::Sender<Stage>);

impl Life {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Stage::Starting))
    }

    pub(crate) fn enter(&self, stage: Stage) {
        self.0.send_replace(stage);
    }

    fn stage(&self) -> Stage {
        *self.0.borrow()
    }
}

pub(crate) fn routes(life: Life) -> Router {
    Router::new()
        .route(LIVEZ, get(live))
        .route(READYZ, get(ready))
        .fallback(nothing_here)
        .method_not_allowed_fallback(nothing_here)
        .with_state(life)
}

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

async fn live() -> Response {
    told(StatusCode::OK, "alive")
}

/// Stays ready while the database is away. All instances lose it at once, so that no other could
/// answer instead; each still gives the documents by which clients find their way, and tells the
/// rest when to come back, which is more than a balancer without instances would.
async fn ready(State(life): State<Life>) -> Response {
    match life.stage() {
        Stage::Starting => told(StatusCode::SERVICE_UNAVAILABLE, "starting"),
        Stage::Serving => told(StatusCode::OK, "ready"),
        Stage::Stopping => told(StatusCode::SERVICE_UNAVAILABLE, "stopping"),
    }
}

async fn nothing_here() -> Response {
    told(StatusCode::NOT_FOUND, "there is nothing at this address")
}

fn told(code: StatusCode, status: &'static str) -> Response {
    (code, [(header::CACHE_CONTROL, "no-store")], json(&Status { status })).into_response()
}
