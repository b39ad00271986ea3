//! The one string that names a tenant's authorization server, and what is built from it.

use crate::Address;

/// What the path of a server's address begins with, below the issuer.
pub const SERVERS: &str = "/mcp/";
/// What the path of an issuer begins with, on an origin that several tenants share.
pub const TENANTS: &str = "/v/";
/// What the path of a document about an issuer or a resource begins with (RFC 8615).
pub const WELL_KNOWN: &str = "/.well-known/";

/// An origin, with `/v/<tenant>` behind it where one origin serves several tenants. It has no
/// trailing slash, and clients compare it byte for byte (RFC 8414 §3.3, RFC 9207 §2.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    text: String,
    origin_len: usize,
    /// The server whose address the issuer itself is, at a vanity host.
    server: Option<String>,
}

impl Issuer {
    /// The issuer of a tenant that has the origin for itself.
    pub fn of_origin(origin: &str) -> Self {
        let origin = origin.trim_end_matches('/');
        Self { text: origin.to_owned(), origin_len: origin.len(), server: None }
    }

    /// The issuer of one of several tenants on an origin.
    pub fn of_tenant(origin: &str, slug: &str) -> Self {
        let origin = origin.trim_end_matches('/');
        let text = format!("{origin}{TENANTS}{slug}");
        Self { text, origin_len: origin.len(), server: None }
    }

    /// The issuer of a vanity host, whose root is the address of the server. Scheme and port are
    /// those of the gateway's own origin.
    pub fn of_host(origin: &str, host: &str, server: &str) -> Self {
        let (scheme, authority) = origin.split_once("://").unwrap_or(("https", origin));
        // Behind the bracket of an IPv6 address.
        let port = authority.rfind(']').map_or(authority, |at| &authority[at..]);
        let port = port.trim_end_matches('/').split_once(':').map(|(_, port)| format!(":{port}"));
        let text = format!("{scheme}://{host}{}", port.unwrap_or_default());
        Self { origin_len: text.len(), text, server: Some(server.to_owned()) }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn origin(&self) -> &str {
        &self.text[..self.origin_len]
    }

    /// What follows the origin: empty, or `/v/<tenant>`.
    pub fn path(&self) -> &str {
        &self.text[self.origin_len..]
    }

    /// The address of a page or endpoint of this tenant; `path` begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }

    /// The path of a server's address below the issuer. Empty for a vanity host's root.
    pub fn path_to(&self, address: &Address<'_>) -> String {
        match &self.server {
            Some(_) => address.narrowed(),
            None => address.path(),
        }
    }

    /// The resource identifier of an address (RFC 8707), which is also where it is reached.
    pub fn resource(&self, address: &Address<'_>) -> String {
        self.url(&self.path_to(address))
    }

    /// The address that a path below the issuer is, with or without a slash at its end. That there
    /// is such a server is for the declaration to say.
    pub fn address<'a>(&'a self, path: &'a str) -> Option<Address<'a>> {
        match &self.server {
            Some(server) => Address::below(server, path),
            None => Address::parse(path),
        }
    }

    /// The address that a resource identifier names, if it is one of this issuer's.
    pub fn target<'a>(&'a self, resource: &'a str) -> Option<Address<'a>> {
        let path = resource.strip_prefix(self.as_str())?;
        if path.contains(['?', '#']) { None } else { self.address(path) }
    }

    /// The path below the issuer as a client wrote it, where routes see `/mcp/<server>…`.
    pub fn as_called<'p>(&self, routed: &'p str) -> &'p str {
        let Some(server) = &self.server else { return routed };
        let below = routed.strip_prefix(SERVERS).and_then(|it| it.strip_prefix(server.as_str()));
        below.unwrap_or(routed)
    }

    /// Where a well-known document about `path` is, the suffix going between the origin and the
    /// path (RFC 8414 §3.1, RFC 9728 §3.1). `path` is empty for the issuer itself.
    pub fn well_known(&self, suffix: &str, path: &str) -> String {
        format!("{}{WELL_KNOWN}{suffix}{}{path}", self.origin(), self.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // pre:O4, pre:O21
    #[test]
    fn every_address_comes_from_the_one_string() {
        let pinned =
            Address { workspace: Some("docs".into()), is_read_only: true, ..Address::of("boards") };
        for (issuer, expected) in [
            (
                Issuer::of_origin("https://h.example/"),
                [
                    "https://h.example",
                    "https://h.example/mcp/boards",
                    "https://h.example/mcp/boards/w/docs/readonly",
                    "https://h.example/.well-known/oauth-protected-resource/mcp/boards",
                ],
            ),
            (
                Issuer::of_tenant("https://h.example", "acme"),
                [
                    "https://h.example/v/acme",
                    "https://h.example/v/acme/mcp/boards",
                    "https://h.example/v/acme/mcp/boards/w/docs/readonly",
                    "https://h.example/.well-known/oauth-protected-resource/v/acme/mcp/boards",
                ],
            ),
            (
                Issuer::of_host("https://h.example", "mcp.acme.example", "boards"),
                [
                    "https://mcp.acme.example",
                    "https://mcp.acme.example",
                    "https://mcp.acme.example/w/docs/readonly",
                    "https://mcp.acme.example/.well-known/oauth-protected-resource",
                ],
            ),
            (
                Issuer::of_host("http://[::1]:8700/", "localhost", "boards"),
                [
                    "http://localhost:8700",
                    "http://localhost:8700",
                    "http://localhost:8700/w/docs/readonly",
                    "http://localhost:8700/.well-known/oauth-protected-resource",
                ],
            ),
        ] {
            let whole = Address::of("boards");
            let document = issuer.well_known("oauth-protected-resource", &issuer.path_to(&whole));
            let (resource, narrowed) = (issuer.resource(&whole), issuer.resource(&pinned));
            assert_eq!([issuer.as_str(), &resource, &narrowed, &document], expected);
            for (resource, address) in [(resource, &whole), (narrowed, &pinned)] {
                assert_eq!(issuer.target(&resource).as_ref(), Some(address), "{resource}");
                let slash = format!("{resource}/");
                assert_eq!(issuer.target(&slash).as_ref(), Some(address), "{slash}");
            }
        }
    }

    #[test]
    fn a_resource_of_another_origin_is_none_of_ours() {
        let raw = Issuer::of_origin("https://h.example");
        let shared = Issuer::of_tenant("https://h.example", "acme");
        let vanity = Issuer::of_host("https://h.example", "mcp.acme.example", "boards");
        for (issuer, resource) in [
            (&raw, "https://mcp.acme.example"),
            (&raw, "https://h.example"),
            (&raw, "https://h.example.evil.test/mcp/boards"),
            (&raw, "https://h.example/v/acme/mcp/boards"),
            (&raw, "https://h.example/mcp/boards?x=1"),
            (&raw, "https://h.example/mcp/boards#x"),
            (&shared, "https://h.example/mcp/boards"),
            (&shared, "https://h.example/v/acme2/mcp/boards"),
            (&vanity, "https://mcp.acme.example/mcp/boards"),
            (&vanity, "https://mcp.acme.example:443"),
            (&vanity, "https://mcp.acme.example.evil.test"),
            (&vanity, "http://mcp.acme.example"),
            (&vanity, "https://mcp.acme.example//"),
        ] {
            assert_eq!(issuer.target(resource), None, "{resource} at {}", issuer.as_str());
        }
    }

    #[test]
    fn a_routed_path_is_told_as_it_was_called() {
        let raw = Issuer::of_tenant("https://h.example", "acme");
        let vanity = Issuer::of_host("https://h.example", "mcp.acme.example", "boards");
        for (issuer, routed, called) in [
            (&raw, "/mcp/boards/", "/mcp/boards/"),
            (&vanity, "/mcp/boards", ""),
            (&vanity, "/mcp/boards/w/a%2Eb/", "/w/a%2Eb/"),
        ] {
            assert_eq!(issuer.as_called(routed), called);
        }
    }
}
