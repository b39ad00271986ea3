//! The one string that names a tenant's authorization server, and what is built from it.

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
}

impl Issuer {
    /// The issuer of a tenant that has the origin for itself.
    pub fn of_origin(origin: &str) -> Self {
        let origin = origin.trim_end_matches('/');
        Self { text: origin.to_owned(), origin_len: origin.len() }
    }

    /// The issuer of one of several tenants on an origin.
    pub fn of_tenant(origin: &str, slug: &str) -> Self {
        let origin = origin.trim_end_matches('/');
        Self { text: format!("{origin}{TENANTS}{slug}"), origin_len: origin.len() }
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

    /// The resource identifier of a server (RFC 8707), which is also its address.
    pub fn resource(&self, server: &str) -> String {
        format!("{}{SERVERS}{server}", self.text)
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

    #[test]
    fn every_address_comes_from_the_one_string() {
        for (issuer, expected) in [
            (
                Issuer::of_origin("https://h.example/"),
                [
                    "https://h.example",
                    "https://h.example/mcp/boards",
                    "https://h.example/.well-known/oauth-protected-resource/mcp/boards",
                ],
            ),
            (
                Issuer::of_tenant("https://h.example", "acme"),
                [
                    "https://h.example/v/acme",
                    "https://h.example/v/acme/mcp/boards",
                    "https://h.example/.well-known/oauth-protected-resource/v/acme/mcp/boards",
                ],
            ),
        ] {
            let document = issuer.well_known("oauth-protected-resource", "/mcp/boards");
            let built = [issuer.as_str(), &issuer.resource("boards"), &document];
            assert_eq!(built, expected);
        }
    }
}
