//! The body of a form, whole before a page looks at it.

use axum::body::Body;
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use portico_pages::path;

use super::refusal;
use crate::media::{self, Incomplete};
use crate::tenant::Tenant;

/// Consent holds a line for each workspace that was ticked.
const LARGEST_CONSENT: usize = 128 * 1024;

/// Goes on with the form that has arrived, or says why none has.
pub(super) async fn arrive(Tenant(tenant): Tenant, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let most = if head.uri.path() == path::CONSENT { LARGEST_CONSENT } else { media::LARGEST_FORM };
    match media::read(body, most, media::PATIENCE).await {
        Ok(body) => next.run(Request::from_parts(head, Body::from(body))).await,
        Err(Incomplete::Late) => refusal::late_form(&tenant).into_response(),
        Err(Incomplete::TooLarge | Incomplete::Cut) => refusal::bad_form(&tenant).into_response(),
    }
}
