//! A declaration that holds: every name in it was found. This is what the rest of the product reads.

use std::time::Duration;

use portico_model::{Address, Colour, Hints, Scope, Scopes, Slug};
use url::Url;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The tenant that it is about.
    pub tenant: Slug,
    pub brand: Brand,
    pub redirects: Redirects,
    /// What tokens of an earlier system begin with, which were imported and are good until revoked.
    pub legacy_token_prefixes: Vec<String>,
    pub limits: Limits,
    pub scopes: Vec<ScopeTitle>,
    pub servers: Vec<Server>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    pub name: String,
    /// White text on it is legible.
    pub accent: Colour,
    /// Where the tenant's own application shows people their boards.
    pub app_url: Option<Url>,
    pub support_url: Option<Url>,
}

/// What one connection may do in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `tools/call` in a minute of the database's clock.
    pub calls_per_minute: u32,
    /// Calls of tools that change something, in a day of UTC, failed ones too.
    pub writes_per_day: u32,
    pub over_limit: OverLimit,
}

/// How a call above `calls_per_minute` is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverLimit {
    /// As a tool's error, which clients show to the model.
    ToolError,
    /// As status 429, which most clients show to nobody.
    TooManyRequests,
}

impl Limits {
    pub const DEFAULT: Self =
        Self { calls_per_minute: 60, writes_per_day: 200, over_limit: OverLimit::ToolError };
}

/// How long an access token lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    Expires(Duration),
    /// Until its connection ends.
    UntilRevoked,
}

/// Where an authorization may be sent back to; https and loopback always.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// The private addresses of clients that everybody knows too, and these of the tenant's own.
    KnownApps(Vec<String>),
    HttpsOrLoopback,
}

/// A scope, and what the consent page calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeTitle {
    pub scope: Scope,
    pub title: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The last part of its address.
    pub name: Slug,
    pub title: String,
    pub instructions: Option<String>,
    pub access_token: Lifetime,
    /// Hosts at whose root the server is, lower case, without a port.
    pub hosts: Vec<String>,
    /// In the order in which clients see them. What the gateway adds itself is not here.
    pub tools: Vec<Offered>,
}

/// A tool that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    pub name: String,
    /// Where nothing is said, the tool's own word counts.
    pub hints: Hints,
}

impl Declaration {
    pub fn server(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.name.as_str() == name)
    }

    /// The server that is meant where none is named, if there is no other.
    pub fn only_server(&self) -> Option<&Server> {
        match self.servers.as_slice() {
            [server] => Some(server),
            _ => None,
        }
    }

    /// The scopes that a person can be asked for.
    pub fn scope_set(&self) -> Scopes {
        self.scopes.iter().map(|titled| titled.scope).collect()
    }

    /// Those that an address is worth.
    pub fn scopes_at(&self, address: &Address<'_>) -> Scopes {
        let declared = self.scope_set();
        if address.is_read_only {
            declared.intersection(&Scopes::from_iter([Scope::Read]))
        } else {
            declared
        }
    }
}
