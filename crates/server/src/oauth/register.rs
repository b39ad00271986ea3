//! `POST /oauth/register`: a client introduces itself (RFC 7591).

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use portico_oauth::registration;

use super::body::Metadata;
use crate::app::App;
use crate::error::{OAuthError, json};
use crate::tenant::Tenant;

pub(super) async fn register(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Metadata(body): Metadata,
) -> Result<Response, OAuthError> {
    let metadata = registration::Metadata::parse(&body)?;
    let registered = registration::register(&app.pool, tenant.authority(), metadata).await?;
    let no_store = [(header::CACHE_CONTROL, "no-store")];
    Ok((StatusCode::CREATED, no_store, json(&registered)).into_response())
}
