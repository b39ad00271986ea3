//! Refusals that several pages share, in the tenant's frame.

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use portico_pages::Problem;
use tower_http::csrf::ProtectionError;

use super::frame;
use crate::error::PageError;
use crate::tenant::{Snapshot, Tenant};

/// Gives the refusal of a form that another site sent a page.
pub(super) async fn in_our_words(Tenant(tenant): Tenant, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if response.extensions().get::<ProtectionError>().is_some() {
        return foreign_form(&tenant).into_response();
    }
    response
}

fn foreign_form(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::FORBIDDEN,
        [
            "This did not come from our page",
            "Another site tried to act in your name, so nothing was done.",
            "If you meant to do it, do it from your connections.",
        ],
    )
}

/// A form's address, opened or reloaded as a page; or a page's, with something sent to it.
pub(super) async fn other_method(Tenant(tenant): Tenant, method: Method) -> PageError {
    let words = if method.is_safe() {
        [
            "This address only takes forms",
            "It was opened as a page, so nothing was done.",
            "Go to your connections.",
        ]
    } else {
        [
            "This address is opened, not sent to",
            "A form was sent to it, so nothing was done.",
            "Go to your connections.",
        ]
    };
    page(&tenant, StatusCode::METHOD_NOT_ALLOWED, words)
}

pub(super) fn bad_form(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::BAD_REQUEST,
        [
            "We could not read this form",
            "Something in it was missing or came twice. Nothing was changed.",
            "Go back, load the page again and repeat it.",
        ],
    )
}

pub(super) fn late_form(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::REQUEST_TIMEOUT,
        [
            "This form did not arrive in time",
            "The connection was too slow, or broke. Nothing was changed.",
            "Go back, load the page again and repeat it.",
        ],
    )
}

pub(super) fn signed_out(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::BAD_REQUEST,
        [
            "You are signed out",
            "You signed out, or twelve hours have passed. Nothing was changed.",
            "Sign in again, then repeat it.",
        ],
    )
}

pub(super) fn disabled(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::FORBIDDEN,
        [
            "This account is switched off",
            "It can no longer be used here, and its connections are refused.",
            "Ask your administrator.",
        ],
    )
}

/// The request to connect an app is unknown, or was not answered in time.
pub(super) fn expired(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::BAD_REQUEST,
        [
            "This request has expired",
            "An app asked to be connected, and was not answered in time.",
            "Go back to the app and connect again.",
        ],
    )
}

/// What was asked for has changed since.
pub(super) fn withdrawn(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::BAD_REQUEST,
        [
            "This app can no longer be connected",
            "What it asked for is not offered any more, or its address is not accepted.",
            "Go back to the app and connect again. If that does not help, ask for support.",
        ],
    )
}

/// A membership ended while the answer was on its way.
pub(super) fn changed(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::CONFLICT,
        [
            "Your workspaces have changed meanwhile",
            "A workspace that you chose is not yours any more. Nothing was connected.",
            "Go back, load the page again and choose once more.",
        ],
    )
}

pub(super) fn answered(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::BAD_REQUEST,
        [
            "You have already answered",
            "Each request of an app can be answered once.",
            "If the app is not connected, go back to it and connect again.",
        ],
    )
}

pub(crate) fn suspended(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::FORBIDDEN,
        [
            "This service is suspended at the moment",
            "Nothing can be connected or used here until it is resumed. Nothing was changed.",
            "Come back later, or ask for help.",
        ],
    )
}

pub(super) fn other_browser(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::FORBIDDEN,
        [
            "This request began in another browser",
            "An app can only be connected in the browser in which that was begun.",
            "If you began it, go back to that browser. If someone sent you this link, close it.",
        ],
    )
}

pub(super) fn other_person(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::BAD_REQUEST,
        [
            "You are signed in as someone else now",
            "The page that you answered was shown to another account. Nothing was changed.",
            "Go back to the app and connect again.",
        ],
    )
}

pub(super) fn no_connection(tenant: &Snapshot) -> PageError {
    page(
        tenant,
        StatusCode::NOT_FOUND,
        [
            "There is no such connection",
            "It has been disconnected already, or it is not yours.",
            "See what is connected in your connections.",
        ],
    )
}

pub(super) fn page(
    tenant: &Snapshot,
    status: StatusCode,
    [title, happened, next]: [&str; 3],
) -> PageError {
    let problem = Problem { frame: frame(tenant), title, happened, next, reference: None };
    PageError::new(status, &problem)
}
