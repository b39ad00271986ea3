//! Whose request it is, decided before any route is chosen: an internal rewrite around the router,
//! so that the routes themselves are written once, for one tenant at the root of its origin.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::response::{IntoResponse as _, Response};
use tower::ServiceExt as _;

use crate::app::App;
use crate::dialect::Dialect;
use crate::tenant::{Snapshot, Tenant};

/// Puts the rewrite around the routes of one tenant.
pub fn around(app: App, routes: Router) -> Router {
    Router::new().fallback(locate).with_state(Located { app, routes })
}

#[derive(Clone)]
struct Located {
    app: App,
    routes: Router,
}

async fn locate(State(Located { app, routes }): State<Located>, mut request: Request) -> Response {
    let dialect = Dialect::of(request.uri().path());
    let Some((slug, path)) = split(app.tenants.origin().bound.as_deref(), request.uri().path())
    else {
        return dialect.not_found(None);
    };
    let snapshot: Arc<Snapshot> = match app.tenants.find(&app.pool, &slug).await {
        Ok(Some(snapshot)) => snapshot,
        Ok(None) => return dialect.not_found(None),
        Err(error) => return dialect.fault(&error),
    };
    let Some(uri) = with_path(request.uri(), &path) else {
        return dialect.not_found(Some(&snapshot));
    };
    *request.uri_mut() = uri;
    request.extensions_mut().insert(Tenant(snapshot));
    match routes.oneshot(request).await {
        Ok(response) => response,
        Err(never) => never.into_response(),
    }
}

/// The tenant's slug, and the path as it is at the root of an origin of its own.
fn split(bound: Option<&str>, path: &str) -> Option<(String, String)> {
    if let Some(slug) = bound {
        return Some((slug.to_owned(), path.to_owned()));
    }
    if let Some(below) = path.strip_prefix("/v/") {
        let (slug, rest) = below.split_at(below.find('/').unwrap_or(below.len()));
        return is_slug(slug)
            .then(|| (slug.to_owned(), if rest.is_empty() { "/" } else { rest }.to_owned()));
    }
    // A well-known document about a path has its suffix in front of it (RFC 8615, RFC 8414 §3.1).
    let (suffix, about) = path.strip_prefix("/.well-known/")?.split_once('/')?;
    let below = about.strip_prefix("v/")?;
    let (slug, rest) = below.split_at(below.find('/').unwrap_or(below.len()));
    is_slug(slug).then(|| (slug.to_owned(), format!("/.well-known/{suffix}{rest}")))
}

/// What cannot be a tenant's name is not worth a look-up.
fn is_slug(text: &str) -> bool {
    (1..=31).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    if uri.path() == path {
        return Some(uri.clone());
    }
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(target).ok()?);
    Uri::from_parts(parts).ok()
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
            let found = found.as_ref().map(|(slug, path)| (slug.as_str(), path.as_str()));
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn an_origin_of_its_own_has_every_path() {
        for path in ["/mcp/boards", "/v/acme/mcp/boards"] {
            let found = split(Some("acme"), path);
            assert_eq!(found, Some(("acme".to_owned(), path.to_owned())), "{path}");
        }
    }
}
