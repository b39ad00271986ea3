//! The tenant's address as a browser sees it, and the stylesheet of its pages.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use portico_mcp::{Code, Rejection};
use portico_model::{Address, Issuer};
use portico_pages::{Address as Card, Server, render, stylesheet};
use portico_storage::host::Host;
use portico_storage::{self as storage, Conn};

use super::{Page, failed, frame};
use crate::app::App;
use crate::error::{PageError, RpcError};
use crate::tenant::{Snapshot, Tenant};

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> Result<Page, PageError> {
    let mut conn = storage::acquire(&app.pool).await.map_err(failed(&tenant))?;
    let servers = servers(&app, &tenant, &mut conn).await?;
    Ok(Page(render(&Card { frame: frame(&tenant), servers })))
}

/// For a client that was given the origin for a server's address. At a server's own host nobody
/// comes here.
pub(super) async fn no_endpoint(Tenant(tenant): Tenant) -> RpcError {
    let servers = tenant.servers.keys();
    let urls: Vec<String> =
        servers.map(|name| tenant.issuer.resource(&Address::of(name.as_str()))).collect();
    let there = match urls.as_slice() {
        [] => String::new(),
        [only] => format!("; the server's is {only}"),
        several => format!("; there are {}", several.join(" and ")),
    };
    let words = format!("This is no server's address{there}");
    Rejection::new(StatusCode::NOT_FOUND, Code::InvalidRequest, words).into()
}

/// What an address that is meant for apps says to a person: that it is one.
pub(crate) fn card(tenant: &Snapshot, address: &Address<'_>) -> Page {
    let declared = tenant.declaration.server(address.server);
    let title = declared.map_or(address.server, |server| server.title.as_str());
    let servers = vec![Server { title, url: tenant.issuer.resource(address) }];
    Page(render(&Card { frame: frame(tenant), servers }))
}

pub(super) async fn stylesheet(Tenant(tenant): Tenant) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, stylesheet::CONTENT_TYPE),
        (header::CACHE_CONTROL, stylesheet::CACHE_CONTROL),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, stylesheet::text(frame(&tenant).accent))
}

/// What can be connected from this origin, each at the tenant's own host where it has one.
pub(super) async fn servers<'t>(
    app: &App,
    tenant: &'t Snapshot,
    conn: &mut Conn,
) -> Result<Vec<Server<'t>>, PageError> {
    let hosts = storage::host::all(conn, Some(tenant.id)).await.map_err(failed(tenant))?;
    let declared = tenant.declaration.servers.iter();
    let here = declared.filter(|declared| tenant.servers.contains_key(&declared.name));
    let servers = here.map(|declared| {
        let name = declared.name.as_str();
        let own = hosts.iter().find(|host| is_served(host, name));
        let url = match (own, &tenant.host) {
            (Some(own), None) => {
                let issuer = Issuer::of_host(&app.tenants.origin().url, &own.host, name);
                issuer.resource(&Address::of(name))
            }
            (None, None) | (_, Some(_)) => tenant.issuer.resource(&Address::of(name)),
        };
        Server { title: &declared.title, url }
    });
    Ok(servers.collect())
}

fn is_served(host: &Host, server: &str) -> bool {
    host.server == server && host.proved_at.is_some()
}
