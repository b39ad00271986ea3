//! `POST /oauth/token`: what a client was given, for a token.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use portico_oauth::grant;

use super::body::Form;
use crate::app::App;
use crate::error::{OAuthError, json};
use crate::tenant::Tenant;

pub(super) async fn exchange(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Form(body): Form,
) -> Result<Response, OAuthError> {
    let tokens = grant::exchange(&app.pool, tenant.authority(), &body, app.random()).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], json(&tokens)).into_response())
}
