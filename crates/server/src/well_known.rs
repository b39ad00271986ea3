//! Well-known documents. They come from the snapshot, so that clients find their way while the
//! database is away; what is not here is answered by the fallback, as JSON.

use axum::Router;
use axum::http::{HeaderName, Uri, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use portico_discovery as discovery;
use portico_discovery::path::{AUTHORIZATION_SERVER, PROTECTED_RESOURCE};
use portico_model::WELL_KNOWN;
use serde::Serialize;

use crate::app::App;
use crate::cors;
use crate::error::{OAuthError, json};
use crate::tenant::Tenant;

/// Short, since a declaration may change.
const FOR_A_MINUTE: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "public, max-age=60")];

pub(crate) fn routes() -> Router<App> {
    let resource = format!("{WELL_KNOWN}{PROTECTED_RESOURCE}");
    Router::new()
        .route(&format!("{WELL_KNOWN}{AUTHORIZATION_SERVER}"), get(authorization_server))
        .route(&resource, get(protected_resource))
        .route(&format!("{resource}/"), get(protected_resource))
        .route(&format!("{resource}/{{*path}}"), get(protected_resource))
        .method_not_allowed_fallback(only_get)
        .layer(from_fn(cors::open))
}

async fn only_get() -> OAuthError {
    OAuthError::other_method("GET")
}

async fn authorization_server(Tenant(tenant): Tenant) -> Response {
    document(&discovery::authorization_server(&tenant.issuer, &tenant.declaration))
}

async fn protected_resource(Tenant(tenant): Tenant, uri: Uri) -> Result<Response, OAuthError> {
    let suffix = format!("{WELL_KNOWN}{PROTECTED_RESOURCE}");
    let path = uri.path().strip_prefix(&suffix).ok_or_else(OAuthError::not_found)?;
    let found = discovery::protected_resource(&tenant.issuer, &tenant.declaration, path);
    found.as_ref().map(document).ok_or_else(OAuthError::not_found)
}

fn document(document: &impl Serialize) -> Response {
    (FOR_A_MINUTE, json(document)).into_response()
}
