//! The request of an app that waits for the person at this browser.

use axum::http::HeaderMap;
use portico_model::RequestId;
use portico_oauth::consent::{self, Claim, Pending, Refusal};
use portico_pages::AppName;
use portico_storage as storage;

use super::{cookie, failed, refusal};
use crate::app::App;
use crate::error::PageError;
use crate::tenant::Snapshot;

/// What the sign-in page says about it.
pub(super) struct Waiting {
    pub(super) id: RequestId,
    pub(super) app: AppName,
}

/// The request that a form or an address names, if it names one.
pub(super) async fn find(
    app: &App,
    tenant: &Snapshot,
    headers: &HeaderMap,
    request: Option<RequestId>,
) -> Result<Option<Waiting>, PageError> {
    let Some(request) = request else {
        return Ok(None);
    };
    let claim = claim(tenant, headers, request)?;
    let pending = pending(app, tenant, claim).await?;
    Ok(Some(Waiting { id: request, app: AppName::new(pending.client_name.as_deref()) }))
}

/// A browser without a secret of ours has begun nothing.
pub(super) fn claim(
    tenant: &Snapshot,
    headers: &HeaderMap,
    request: RequestId,
) -> Result<Claim, PageError> {
    let browser =
        cookie::browser(tenant).read(headers).ok_or_else(|| refusal::other_browser(tenant))?;
    Ok(Claim { request, browser: browser.hash() })
}

pub(super) async fn pending(
    app: &App,
    tenant: &Snapshot,
    claim: Claim,
) -> Result<Pending, PageError> {
    let mut conn = storage::acquire(&app.pool).await.map_err(failed(tenant))?;
    consent::find(&mut conn, tenant.authority(), claim)
        .await
        .map_err(|refused| page(tenant, refused))
}

/// A refusal as people are told it.
pub(super) fn page(tenant: &Snapshot, refused: Refusal) -> PageError {
    match refused {
        Refusal::Unknown | Refusal::Expired => refusal::expired(tenant),
        Refusal::OtherBrowser => refusal::other_browser(tenant),
        Refusal::Decided => refusal::answered(tenant),
        Refusal::RedirectGone | Refusal::ServerGone => refusal::withdrawn(tenant),
        Refusal::PersonDisabled => refusal::disabled(tenant),
        Refusal::Outsider | Refusal::Choice => refusal::changed(tenant),
        Refusal::Storage(error) => failed(tenant)(error),
    }
}
