//! The path of a request as the routes know it: as if its tenant had an origin of its own, with the
//! endpoints of servers below `/mcp/`. Refuses to know whether anything is there.

use std::borrow::Cow;

use http::Uri;
use http::uri::PathAndQuery;
use portico_model::{Address, SERVERS, Slug, TENANTS, WELL_KNOWN};

/// At a vanity host, whose root is the address of its one server. `None`: there is nothing, since
/// a server has one address at a host.
pub fn below_host<'p>(server: &str, path: &'p str) -> Option<Cow<'p, str>> {
    let below = format!("{path}/");
    if below.starts_with(SERVERS) {
        return None;
    }
    if Address::below(server, path).is_some() {
        let narrowed = if path == "/" { "" } else { path };
        return Some(format!("{SERVERS}{server}{narrowed}").into());
    }
    Some(path.into())
}

/// At an origin that several tenants share: the tenant's slug, and the path below it.
pub fn below_tenant(path: &str) -> Option<(&str, Cow<'_, str>)> {
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

/// The address with another path. `None`: it is no address then.
pub fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
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
    use super::*;

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
            let found = below_tenant(path);
            let found = found.as_ref().map(|(slug, path)| (*slug, &**path));
            assert_eq!(found, expected, "{path}");
        }
    }

    // pre:O21
    #[test]
    fn a_vanity_hosts_root_is_its_servers_address_and_everything_else_stays() {
        for (path, expected) in [
            ("/", Some("/mcp/boards")),
            ("/readonly", Some("/mcp/boards/readonly")),
            ("/readonly/", Some("/mcp/boards/readonly/")),
            ("/w/docs", Some("/mcp/boards/w/docs")),
            ("/w/a%2Fb/", Some("/mcp/boards/w/a%2Fb/")),
            ("/w/docs/readonly", Some("/mcp/boards/w/docs/readonly")),
            ("/w", Some("/w")),
            ("/w/docs/other", Some("/w/docs/other")),
            ("/mcp", None),
            ("/mcp/", None),
            ("/mcp/boards", None),
            ("/mcp/boards/w/docs", None),
            ("/mcpx", Some("/mcpx")),
            ("/v/acme/mcp/boards", Some("/v/acme/mcp/boards")),
            ("/oauth/token", Some("/oauth/token")),
            ("/connections", Some("/connections")),
            (
                "/.well-known/oauth-protected-resource",
                Some("/.well-known/oauth-protected-resource"),
            ),
        ] {
            assert_eq!(below_host("boards", path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn the_query_stays_and_a_path_that_is_none_is_refused() {
        for (uri, path, expected) in [
            ("/?a=b%20c", "/mcp/boards", Some("/mcp/boards?a=b%20c")),
            ("/v/acme/x", "/x", Some("/x")),
            ("/x?y", "/x", Some("/x?y")),
            ("/", "no path", None),
        ] {
            let uri: Uri = uri.parse().unwrap();
            let found = with_path(&uri, path).map(|it| it.to_string());
            assert_eq!(found.as_deref(), expected, "{uri} {path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_path_a_host_never_leads_to_another_server(path in "(/[a-z%.?0-9]{0,8}){0,5}") {
            if let Some(routed) = below_host("boards", &path)
                && let Some(below) = routed.strip_prefix(SERVERS)
            {
                let server = below.split('/').next();
                proptest::prop_assert_eq!(server, Some("boards"));
            }
        }
    }
}
