//! The endpoints of the authorization server. They read requests and write answers; every rule is
//! in `oauth`.

mod authorize;
mod body;
mod register;
mod revoke;
mod token;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use portico_discovery::path;
use portico_oauth::ErrorCode;

use crate::app::App;
use crate::cors;
use crate::error::OAuthError;

pub fn routes() -> Router<App> {
    let for_clients = Router::new()
        .route(path::REGISTER, post(register::register))
        .route(path::TOKEN, post(token::exchange))
        .route(path::REVOKE, post(revoke::revoke))
        .method_not_allowed_fallback(other_method)
        .layer(from_fn(cors::open));
    Router::new().route(path::AUTHORIZE, get(authorize::begin)).merge(for_clients)
}

async fn other_method() -> OAuthError {
    OAuthError::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_request", "the method must be POST")
}

/// A refusal in the client's words.
fn refused(code: ErrorCode, reason: &impl ToString) -> OAuthError {
    OAuthError::new(code.status(), code.as_str(), reason.to_string())
}
