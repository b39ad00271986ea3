//! `POST /oauth/revoke`: a client gives its token back (RFC 7009).

use axum::extract::State;
use axum::http::{HeaderName, header};
use portico_oauth::revocation::{self, Refusal, Revocation};

use super::body::Form;
use super::refused;
use crate::app::App;
use crate::error::OAuthError;
use crate::tenant::Tenant;

pub(super) async fn revoke(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Form(body): Form,
) -> Result<[(HeaderName, &'static str); 1], OAuthError> {
    let request = Revocation::parse(&body).map_err(refuse)?;
    revocation::revoke(&app.pool, tenant.authority(), &request).await.map_err(refuse)?;
    Ok([(header::CACHE_CONTROL, "no-store")])
}

fn refuse(refusal: Refusal) -> OAuthError {
    if let Refusal::Storage(error) = refusal {
        return error.into();
    }
    refused(refusal.code(), &refusal)
}
