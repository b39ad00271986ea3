//! The tenant's address as a browser sees it, and the stylesheet of its pages.

use axum::http::header;
use axum::response::IntoResponse;
use portico_pages::{Address, Server, render, stylesheet};

use super::{Page, frame};
use crate::tenant::{Snapshot, Tenant};

pub(super) async fn show(Tenant(tenant): Tenant) -> Page {
    card(&tenant)
}

/// What an address that is meant for apps says to a person.
pub(crate) fn card(tenant: &Snapshot) -> Page {
    Page(render(&Address { frame: frame(tenant), servers: servers(tenant) }))
}

pub(super) async fn stylesheet(Tenant(tenant): Tenant) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, stylesheet::CONTENT_TYPE),
        (header::CACHE_CONTROL, stylesheet::CACHE_CONTROL),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, stylesheet::text(frame(&tenant).accent))
}

/// What can be connected here.
pub(super) fn servers(tenant: &Snapshot) -> Vec<Server<'_>> {
    tenant
        .declaration
        .servers
        .iter()
        .map(|declared| Server {
            title: &declared.title,
            url: tenant.issuer.resource(declared.name.as_str()),
        })
        .collect()
}
