//! The endpoints of the authorization server. They read requests and write answers; every rule is
//! in `oauth`.

mod authorize;
mod body;
mod register;
mod revoke;
mod token;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use portico_discovery::path;
use portico_oauth::{Stranger, grant, registration};

use crate::app::App;
use crate::cors;
use crate::error::OAuthError;

pub(crate) fn routes() -> Router<App> {
    let for_clients = Router::new()
        .route(path::REGISTER, post(register::register))
        .route(path::TOKEN, post(token::exchange))
        .route(path::REVOKE, post(revoke::revoke))
        .method_not_allowed_fallback(only_post)
        .layer(from_fn(cors::open));
    Router::new()
        .route(path::AUTHORIZE, get(authorize::begin))
        .method_not_allowed_fallback(authorize::only_get)
        .merge(for_clients)
}

async fn only_post() -> OAuthError {
    OAuthError::other_method("POST")
}

impl From<registration::Refusal> for OAuthError {
    fn from(refusal: registration::Refusal) -> Self {
        Self::of_refusal(refusal.code(), &refusal)
    }
}

impl From<grant::Refusal> for OAuthError {
    fn from(refusal: grant::Refusal) -> Self {
        Self::of_refusal(refusal.code(), &refusal)
    }
}

impl From<Stranger> for OAuthError {
    fn from(stranger: Stranger) -> Self {
        Self::of_refusal(stranger.code(), &stranger)
    }
}
