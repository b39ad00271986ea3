//! Where servers are, below a tenant's issuer: each whole, for one workspace, only to read, or both.
//! Which of them a request came to is read from its path, by `Address`.

pub(crate) const PATH: &str = "/mcp/{server}";
pub(crate) const READ_ONLY: &str = "/mcp/{server}/readonly";
pub(crate) const PINNED: &str = "/mcp/{server}/w/{workspace}";
pub(crate) const PINNED_READ_ONLY: &str = "/mcp/{server}/w/{workspace}/readonly";

/// As some people type them. Sending them elsewhere would lose clients.
pub(crate) const PATH_WITH_SLASH: &str = "/mcp/{server}/";
pub(crate) const READ_ONLY_WITH_SLASH: &str = "/mcp/{server}/readonly/";
pub(crate) const PINNED_WITH_SLASH: &str = "/mcp/{server}/w/{workspace}/";
pub(crate) const PINNED_READ_ONLY_WITH_SLASH: &str = "/mcp/{server}/w/{workspace}/readonly/";
