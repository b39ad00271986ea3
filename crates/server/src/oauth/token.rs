//! `POST /oauth/token`: a code for a token.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use portico_oauth::grant::{self, Refusal, TokenRequest};

use super::body::Form;
use super::refused;
use crate::app::App;
use crate::error::{OAuthError, json};
use crate::tenant::Tenant;

pub(super) async fn exchange(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Form(body): Form,
) -> Result<Response, OAuthError> {
    let request = TokenRequest::parse(&body).map_err(refuse)?;
    let tokens = grant::exchange(&app.pool, tenant.authority(), &request, app.random())
        .await
        .map_err(refuse)?;
    Ok(([(header::CACHE_CONTROL, "no-store")], json(&tokens)).into_response())
}

fn refuse(refusal: Refusal) -> OAuthError {
    if let Refusal::Storage(error) = refusal {
        return error.into();
    }
    refused(refusal.code(), &refusal)
}
