//! A declaration that holds: every name in it was found. This is what the rest of the product reads.

use std::time::Duration;

use portico_model::{Colour, Hints, Scope, Scopes, Slug};
use url::Url;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The tenant that it is about.
    pub tenant: Slug,
    pub brand: Brand,
    pub redirects: Redirects,
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

    /// The scopes that a person can be asked for.
    pub fn scope_set(&self) -> Scopes {
        self.scopes.iter().map(|titled| titled.scope).collect()
    }
}
