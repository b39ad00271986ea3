//! `POST /oauth/revoke`: a client gives its token back (RFC 7009).

use axum::extract::State;
use axum::http::{HeaderName, header};
use portico_oauth::revocation;

use super::body::Form;
use crate::app::App;
use crate::error::OAuthError;
use crate::tenant::Tenant;

pub(super) async fn revoke(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Form(body): Form,
) -> Result<[(HeaderName, &'static str); 1], OAuthError> {
    revocation::revoke(&app.pool, tenant.authority(), &body).await?;
    Ok([(header::CACHE_CONTROL, "no-store")])
}
