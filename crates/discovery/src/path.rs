//! Where the machine-readable parts of a tenant are, below its issuer.

use portico_model::SERVERS;

pub const AUTHORIZE: &str = "/oauth/authorize";
pub const REGISTER: &str = "/oauth/register";
pub const REVOKE: &str = "/oauth/revoke";
pub const TOKEN: &str = "/oauth/token";

/// Names of well-known documents.
pub const AUTHORIZATION_SERVER: &str = "oauth-authorization-server";
pub const PROTECTED_RESOURCE: &str = "oauth-protected-resource";

/// The name of the server that a path below the issuer is of, and whether a slash ends the path.
pub(crate) fn server(path: &str) -> Option<(&str, bool)> {
    let name = path.strip_prefix(SERVERS)?;
    let (name, has_slash) = match name.strip_suffix('/') {
        Some(name) => (name, true),
        None => (name, false),
    };
    (!name.is_empty() && !name.contains('/')).then_some((name, has_slash))
}
