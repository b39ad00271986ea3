//! Where the machine-readable parts of a tenant are, below its issuer.

pub const AUTHORIZE: &str = "/oauth/authorize";
pub const REGISTER: &str = "/oauth/register";
pub const REVOKE: &str = "/oauth/revoke";
pub const TOKEN: &str = "/oauth/token";

/// Names of well-known documents.
pub const AUTHORIZATION_SERVER: &str = "oauth-authorization-server";
pub const PROTECTED_RESOURCE: &str = "oauth-protected-resource";
