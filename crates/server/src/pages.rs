//! The routes of the pages, and what they have in common. Nothing here decides: it asks `identity`,
//! `oauth` and `storage`, and shows the answer in words for people.

mod connections;
mod consent;
pub(crate) mod cookie;
mod form;
mod home;
mod refusal;
mod sign_in;
mod signed_in;
mod waiting;

pub(crate) use self::home::card;
pub(crate) use self::refusal::suspended;

use axum::Router;
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use portico_pages::{Accent, Frame, path};
use portico_storage as storage;
use tower_http::csrf::CsrfLayer;

use crate::app::App;
use crate::error::{Fault, PageError};
use crate::tenant::Snapshot;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(path::HOME, get(home::show).post(home::no_endpoint))
        .route(path::STYLESHEET, get(home::stylesheet))
        .route(path::SIGN_IN, get(sign_in::ask).post(sign_in::sign_in))
        .route(path::SIGN_OUT, post(sign_in::sign_out))
        .route(path::CONSENT, get(consent::ask).post(consent::decide))
        .route(path::CONNECTIONS, get(connections::list))
        .route(connections::DISCONNECT, post(connections::disconnect))
        .method_not_allowed_fallback(refusal::other_method)
        .layer(from_fn(form::arrive))
        .layer(CsrfLayer::new())
        .layer(from_fn(refusal::in_our_words))
}

/// What the tenant's pages share.
pub(crate) fn frame(tenant: &Snapshot) -> Frame<'_> {
    let brand = &tenant.declaration.brand;
    Frame {
        brand: &brand.name,
        base: tenant.issuer.path(),
        accent: Accent::new(brand.accent),
        support_url: brand.support_url.as_ref().map(url::Url::as_str),
    }
}

/// A page of ours, with the headers that all of them carry.
pub(crate) struct Page(String);

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        (portico_pages::header::ALL, self.0).into_response()
    }
}

/// For `map_err`: a statement that did not come back, as this tenant's page.
fn failed(tenant: &Snapshot) -> impl Fn(storage::Error) -> PageError {
    move |error| PageError::of_fault(frame(tenant), &Fault::of_storage(&error))
}

/// To another page of the tenant, always by GET.
fn to(tenant: &Snapshot, path_and_query: &str) -> Redirect {
    Redirect::to(&format!("{}{path_and_query}", tenant.issuer.path()))
}
