//! Whose request it is, decided before any route is chosen: an internal rewrite around the router,
//! so that the routes themselves are written once, for one tenant at the root of its origin.

use std::borrow::Cow;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::response::Response;
use portico_model::{SERVERS, Slug, TENANTS, WELL_KNOWN};
use tower::ServiceExt as _;

use crate::app::App;
use crate::dialect::Dialect;
use crate::task;
use crate::tenant::{self, Found, Tenant};

/// Puts the rewrite around the routes of one tenant.
pub(crate) fn around(app: App, routes: Router) -> Router {
    Router::new().fallback(locate).with_state(Located { app, routes })
}

#[derive(Clone)]
struct Located {
    app: App,
    routes: Router,
}

async fn locate(State(Located { app, routes }): State<Located>, mut request: Request) -> Response {
    let dialect = Dialect::of(request.uri().path());
    let bound = app.tenants.origin().bound.as_deref();
    let Some((slug, path)) = split(bound, request.uri().path()) else {
        return dialect.not_found(None);
    };
    let snapshot = match find(&app, slug, &path).await {
        Ok(Some(found)) if found.is_suspended => return dialect.suspended(&found.snapshot),
        Ok(Some(found)) => found.snapshot,
        Ok(None) => return dialect.not_found(None),
        Err(error) => return dialect.fault(&error),
    };
    let Some(uri) = with_path(request.uri(), &path) else {
        return dialect.not_found(Some(&snapshot));
    };
    if let Some(uri) = uri {
        *request.uri_mut() = uri;
    }
    request.extensions_mut().insert(Tenant(snapshot));
    // In a task of its own, which goes on when the client has gone: cut off in the middle, a
    // connection of the pool would be left inside a transaction that nobody ends.
    match task::start(routes.oneshot(request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        // A panic costs its request and nothing else.
        Err(ended) => dialect.broken(&ended),
    }
}

/// A call brings the version that is in force with its admission; everything else asks for it.
async fn find(app: &App, slug: &str, path: &str) -> Result<Option<Found>, tenant::Error> {
    let server = path.strip_prefix(SERVERS).map(|name| name.strip_suffix('/').unwrap_or(name));
    if let Some(known) = app.tenants.last_seen(slug)
        && server.is_some_and(|server| known.servers.contains_key(server))
    {
        return Ok(Some(Found { snapshot: known, is_suspended: false }));
    }
    app.tenants.current(&app.pool, slug).await
}

/// The tenant's slug, and the path as it is at the root of an origin of its own.
fn split<'p>(bound: Option<&'p str>, path: &'p str) -> Option<(&'p str, Cow<'p, str>)> {
    if let Some(slug) = bound {
        return Some((slug, path.into()));
    }
    if let Some(below) = path.strip_prefix(TENANTS) {
        let (slug, rest) = first(below)?;
        return Some((slug, if rest.is_empty() { "/" } else { rest }.into()));
    }
    // A well-known document about a path has its suffix in front of it (RFC 8615, RFC 8414 §3.1).
    let about = path.strip_prefix(WELL_KNOWN)?;
    let (suffix, about) = about.split_at(about.find('/')?);
    let (slug, rest) = first(about.strip_prefix(TENANTS)?)?;
    Some((slug, format!("{WELL_KNOWN}{suffix}{rest}").into()))
}

/// The first part of a path, and the rest with its slash. What cannot be a tenant's name is not
/// worth a look-up.
fn first(path: &str) -> Option<(&str, &str)> {
    let (slug, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    Slug::is_written_so(slug).then_some((slug, rest))
}

/// The address with another path, if it is another. The outer `None`: it is no address then.
#[expect(clippy::option_option, reason = "an address that stays is not one that is impossible")]
fn with_path(uri: &Uri, path: &str) -> Option<Option<Uri>> {
    if uri.path() == path {
        return Some(None);
    }
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(target).ok()?);
    Uri::from_parts(parts).ok().map(Some)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_shared_origin_is_split_by_its_path() {
        for (path, expected) in [
            ("/v/acme", Some(("acme", "/"))),
            ("/v/acme/", Some(("acme", "/"))),
            ("/v/acme/mcp/boards", Some(("acme", "/mcp/boards"))),
            (
                "/.well-known/oauth-protected-resource/v/acme/mcp/boards",
                Some(("acme", "/.well-known/oauth-protected-resource/mcp/boards")),
            ),
            (
                "/.well-known/oauth-authorization-server/v/acme",
                Some(("acme", "/.well-known/oauth-authorization-server")),
            ),
            ("/.well-known/oauth-authorization-server", None),
            ("/v/", None),
            ("/v/Acme/mcp/boards", None),
            ("/v/a%2Fb/mcp/boards", None),
            ("/mcp/boards", None),
        ] {
            let found = split(None, path);
            let found = found.as_ref().map(|(slug, path)| (*slug, &**path));
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn an_origin_of_its_own_has_every_path() {
        for path in ["/mcp/boards", "/v/acme/mcp/boards"] {
            let found = split(Some("acme"), path);
            assert_eq!(found, Some(("acme", path.into())), "{path}");
        }
    }
}
