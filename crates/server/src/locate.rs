//! Whose request it is, decided before any route is chosen: by the Host, and at an origin that
//! tenants share by the path. An internal rewrite around the router, so that the routes themselves
//! are written once, for one tenant at the root of its origin.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use axum::{Extension, Router};
use portico_model::SERVERS;
use portico_vanity::{self as vanity, Host};
use tower::ServiceExt as _;

use crate::app::App;
use crate::dialect::Dialect;
use crate::tenant::{self, Found, Snapshot, Tenant};
use crate::tenants::Place;

/// Puts the rewrite around the routes of one tenant.
pub(crate) fn around(app: App, routes: Router) -> Router {
    Router::new().fallback(locate).with_state(Located { app, routes })
}

#[derive(Clone)]
struct Located {
    app: App,
    routes: Router,
}

async fn locate(
    State(Located { app, routes }): State<Located>,
    Extension(host): Extension<Host>,
    mut request: Request,
) -> Response {
    let dialect = Dialect::of(&request);
    let path = request.uri().path();
    let found = match app.tenants.place(&host) {
        Place::Raw => at_raw(&app, path).await,
        Place::Host(host) => at_host(&app, host, path).await,
        Place::Nowhere => Ok(At::Nowhere),
    };
    let (Found { snapshot, is_suspended }, path) = match found {
        Ok(At::Tenant(found, path)) => (found, path),
        Ok(At::Nothing(found)) => return dialect.not_found(found.as_deref()),
        Ok(At::Nowhere) => return dialect.misdirected(),
        Err(error) => return dialect.fault(&error),
    };
    let Some(uri) = vanity::with_path(request.uri(), &path) else {
        return dialect.not_found(Some(&snapshot));
    };
    *request.uri_mut() = uri;
    if is_suspended {
        return Dialect::of(&request).suspended(&snapshot);
    }
    request.extensions_mut().insert(Tenant(snapshot));
    match routes.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// What a request came to.
enum At<'p> {
    /// A tenant's, and the path as the routes know it.
    Tenant(Found, Cow<'p, str>),
    /// One of our origins, where there is nothing at the path.
    Nothing(Option<Arc<Snapshot>>),
    /// None of our origins.
    Nowhere,
}

async fn at_raw<'p>(app: &App, path: &'p str) -> Result<At<'p>, tenant::Error> {
    let whose = match app.tenants.origin().bound.as_deref() {
        Some(bound) => Some((bound, Cow::from(path))),
        None => vanity::below_tenant(path),
    };
    let Some((slug, path)) = whose else { return Ok(At::Nothing(None)) };
    // A call brings the version that is in force with its admission; everything else asks for it.
    let server = path.strip_prefix(SERVERS).and_then(|rest| rest.split('/').next());
    if let Some(snapshot) = app.tenants.last_seen(slug)
        && server.is_some_and(|server| snapshot.server(server).is_some())
    {
        return Ok(At::Tenant(Found { snapshot, is_suspended: false }, path));
    }
    let found = app.tenants.current(&app.pool, slug).await?;
    Ok(found.map_or(At::Nothing(None), |found| At::Tenant(found, path)))
}

async fn at_host<'p>(app: &App, host: &str, path: &'p str) -> Result<At<'p>, tenant::Error> {
    if let Some(snapshot) = app.tenants.last_seen_at(host)
        && let Some(path) = routed(&snapshot, path).filter(|it| it.starts_with(SERVERS))
    {
        return Ok(At::Tenant(Found { snapshot, is_suspended: false }, path));
    }
    let Some(found) = app.tenants.current_at(&app.pool, host).await? else {
        return Ok(At::Nowhere);
    };
    Ok(match routed(&found.snapshot, path) {
        Some(path) => At::Tenant(found, path),
        None => At::Nothing(Some(found.snapshot)),
    })
}

fn routed<'p>(snapshot: &Snapshot, path: &'p str) -> Option<Cow<'p, str>> {
    vanity::below_host(snapshot.servers.keys().next()?.as_str(), path)
}
