//! The account panel: what is connected, and the way to end it.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::Redirect;
use portico_model::{ConnectionId, Destination, Scope};
use portico_pages::{self as view, AppName, Connections, Ends, When, WorksIn, path, render};
use portico_storage::connection::{Connection, Ended};
use portico_storage::{self as storage};
use serde::Deserialize;
use url::Url;

use super::signed_in::SignedIn;
use super::{Page, failed, frame, home, refusal, to};
use crate::app::App;
use crate::error::PageError;
use crate::tenant::{Snapshot, Tenant};

pub(super) const DISCONNECT: &str = "/connections/{id}/disconnect";

#[derive(Deserialize)]
pub(super) struct Asked {
    /// The connection that was ended a moment ago.
    disconnected: Option<ConnectionId>,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    SignedIn(person): SignedIn,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Page, PageError> {
    let mut conn = storage::acquire(&app.pool).await.map_err(failed(&tenant))?;
    let live = storage::connection::of_person(&mut conn, tenant.id, person.id)
        .await
        .map_err(failed(&tenant))?;
    let ended = storage::connection::ended_of_person(&mut conn, tenant.id, person.id)
        .await
        .map_err(failed(&tenant))?;
    let servers = home::servers(&app, &tenant, &mut conn).await?;
    let flash = asked.ok().and_then(|Query(asked)| asked.disconnected);
    let disconnected = ended
        .iter()
        .find(|connection| Some(connection.id) == flash)
        .map(|connection| AppName::new(connection.client_name.as_deref()));
    Ok(Page(render(&Connections {
        frame: frame(&tenant),
        email: &person.email,
        disconnected,
        apps: apps(&tenant, &live),
        ended: ended.iter().map(gone).collect(),
        servers,
    })))
}

/// One of the person's own connections stops working. One that has ended is the same success.
pub(super) async fn disconnect(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    SignedIn(person): SignedIn,
    id: Result<Path<ConnectionId>, PathRejection>,
) -> Result<Redirect, PageError> {
    let Path(id) = id.map_err(|_| refusal::no_connection(&tenant))?;
    let is_theirs = portico_tokens::disconnect(&app.pool, tenant.id, person.id, id)
        .await
        .map_err(failed(&tenant))?;
    if !is_theirs {
        return Err(refusal::no_connection(&tenant));
    }
    Ok(to(&tenant, &format!("{}?disconnected={id}", path::CONNECTIONS)))
}

/// Grouped by what a person can tell apart, the name and where it is, in the order of each app's
/// newest connection. An app that registers at every start is one app.
fn apps<'t>(tenant: &'t Snapshot, live: &'t [Connection]) -> Vec<view::App<'t>> {
    let mut apps: Vec<view::App<'t>> = Vec::new();
    for connection in live {
        let name = AppName::new(connection.client_name.as_deref());
        let identity = identity(&connection.redirect_uri);
        let shown = shown(tenant, connection);
        match apps.iter_mut().find(|app| app.name == name && app.identity == identity) {
            Some(app) => app.connections.push(shown),
            None => apps.push(view::App { name, identity, connections: vec![shown] }),
        }
    }
    apps
}

fn shown<'t>(tenant: &'t Snapshot, connection: &'t Connection) -> view::Connection<'t> {
    let declaration = &tenant.declaration;
    let may = declaration
        .scopes
        .iter()
        .filter(|titled| connection.scopes.contains(titled.scope))
        .map(|titled| titled.title.as_str())
        .collect();
    let server = declaration.server(&connection.server);
    view::Connection {
        id: connection.id,
        server: server.map_or(connection.server.as_str(), |server| &server.title),
        address: &connection.resource,
        may,
        only_reads: connection.is_read_only || connection.scopes.iter().eq([Scope::Read]),
        works_in: works_in(connection),
        connected_at: When::new(connection.created_at),
        last_used_at: connection.last_used_at.map(When::new),
        ends: Ends {
            unless_used_before: connection.lapses_at.map(When::new),
            at_the_latest: connection.expires_at.map(When::new),
        },
    }
}

fn works_in(connection: &Connection) -> WorksIn<'_> {
    if connection.has_every_workspace {
        return WorksIn::Every;
    }
    let names: Vec<&str> = connection.workspaces.iter().map(String::as_str).collect();
    let chosen = usize::try_from(connection.chosen).unwrap_or(names.len());
    WorksIn::These { left: chosen.saturating_sub(names.len()), names }
}

fn gone(connection: &Ended) -> view::Ended {
    view::Ended {
        app: AppName::new(connection.client_name.as_deref()),
        identity: identity(&connection.redirect_uri),
        ended_at: When::new(connection.ended_at),
        reason: connection.reason,
    }
}

/// What is known about an app: where it was sent back to.
fn identity(redirect_uri: &str) -> String {
    let Ok(address) = Url::parse(redirect_uri) else {
        return "Unknown".to_owned();
    };
    match portico_oauth::destination(&address) {
        Destination::Computer { host: _ } => "On your computer".to_owned(),
        Destination::Site { host } => host.to_owned(),
        Destination::Scheme { scheme } => {
            format!("The app on your device that opens {scheme}: links")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::identity;

    #[test]
    fn an_app_is_known_by_where_it_was_sent_back_to() {
        for (redirect_uri, known) in [
            ("http://127.0.0.1:33418/", "On your computer"),
            ("https://claude.ai/api/mcp/auth_callback", "claude.ai"),
            ("https://h.example:8443/cb", "h.example:8443"),
            (
                "cursor://anysphere.cursor-mcp/oauth/callback",
                "The app on your device that opens cursor: links",
            ),
        ] {
            assert_eq!(identity(redirect_uri), known);
        }
    }
}
