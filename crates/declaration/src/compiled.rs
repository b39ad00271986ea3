//! A declaration that holds: every name in it was found. This is what the rest of the product reads.

use std::time::Duration;

use portico_model::{Scope, Scopes};
use url::Url;

use crate::Colour;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The slug of the tenant that it is about.
    pub tenant: String,
    pub brand: Brand,
    /// The tenant's own; a server may have another.
    pub access_token: Lifetime,
    pub redirects: Redirects,
    pub scopes: Vec<Permission>,
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

/// Where an authorization may be sent back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// https, loopback, and the private schemes of clients that are known by name.
    KnownApps,
    HttpsOrLoopback,
}

/// A scope, and what the consent page calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    pub scope: Scope,
    pub title: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The last part of its address.
    pub name: String,
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
    pub hints: Hints,
}

/// What a declaration says about a tool; where it says nothing, the tool's own word counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Declaration {
    pub fn server(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// The scopes that a person can be asked for.
    pub fn scope_set(&self) -> Scopes {
        self.scopes.iter().map(|permission| permission.scope).collect()
    }
}

impl Server {
    pub fn tool(&self, name: &str) -> Option<&Offered> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
