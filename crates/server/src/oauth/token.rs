//! `POST /oauth/token`: what a client was given, for tokens.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use portico_oauth::grant;

use super::body::Form;
use crate::app::App;
use crate::error::OAuthError;
use crate::tenant::Tenant;

pub(super) async fn exchange(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Form(body): Form,
) -> Result<Response, OAuthError> {
    let random = || app.random();
    let answer = grant::exchange(&app.pool, tenant.authority(), &body, &random).await?;
    let headers = [(header::CACHE_CONTROL, "no-store"), (header::CONTENT_TYPE, "application/json")];
    Ok((headers, answer.into_json()).into_response())
}
