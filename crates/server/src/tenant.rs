//! A tenant as this instance sees it: an immutable snapshot of the declaration in force for each
//! origin that the tenant is reached at.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use portico_bridge::Offer;
use portico_declaration::{Declaration, Problems, Server};
use portico_model::{Issuer, SecurityEvent, Slug, TenantId};
use portico_oauth as oauth;
use portico_registry::Module;
use portico_storage::connection::ending;
use portico_storage::{self as storage, Conn, Pool, access_token, host, security_event};

use crate::mcp::Served;

/// What one version of a declaration came to, at one origin.
#[derive(Debug)]
pub struct Snapshot {
    pub id: TenantId,
    pub slug: String,
    pub version: i32,
    pub issuer: Issuer,
    /// The vanity host that this is at; `None` at the gateway's own origin.
    pub host: Option<String>,
    pub declaration: Arc<Declaration>,
    /// Those that are at this origin: a vanity host has one.
    pub(crate) servers: BTreeMap<Slug, Arc<Served>>,
}

impl Snapshot {
    /// The tenant as its authorization server sees it.
    pub fn authority(&self) -> oauth::Tenant<'_> {
        oauth::Tenant {
            id: self.id,
            issuer: &self.issuer,
            host: self.host.as_deref(),
            version: self.version,
            declaration: &self.declaration,
        }
    }

    /// The server of that name. At a vanity host it is the host that names it.
    pub(crate) fn server(&self, name: &str) -> Option<&Arc<Served>> {
        match &self.host {
            Some(_) => self.servers.values().next(),
            None => self.servers.get(name),
        }
    }

    /// The same at the host, if one of the servers has it.
    pub(crate) fn at_host(&self, origin: &Origin, host: &str) -> Option<Self> {
        let declared = &self.declaration.servers;
        let name = &declared.iter().find(|it| it.hosts.iter().any(|it| it == host))?.name;
        let served = self.servers.get(name)?;
        Some(Self {
            id: self.id,
            slug: self.slug.clone(),
            version: self.version,
            issuer: Issuer::of_host(&origin.url, host, name.as_str()),
            host: Some(host.to_owned()),
            declaration: Arc::clone(&self.declaration),
            servers: BTreeMap::from([(name.clone(), Arc::clone(served))]),
        })
    }
}

/// Where the gateway is reached, and for whom.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Scheme, host and port, without a trailing slash.
    pub url: String,
    /// The tenant that has the origin for itself; otherwise each is below `/v/<tenant>`.
    pub bound: Option<String>,
}

impl Origin {
    pub fn issuer(&self, slug: &str) -> Issuer {
        match &self.bound {
            Some(_) => Issuer::of_origin(&self.url),
            None => Issuer::of_tenant(&self.url, slug),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Storage(#[from] storage::Error),
    #[error(transparent)]
    Declaration(#[from] Problems),
    #[error("what is declared cannot be offered")]
    Offer(#[from] portico_bridge::OfferError),
    #[error("the declaration is {other}'s")]
    Other { other: String },
    #[error(
        "the database's role reads no token, since the tables are another's; use the role that \
         migrated them, or give them to this one"
    )]
    ClosedTables,
}

impl Error {
    /// Whether it is for the database's absence.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Storage(error) => error.is_outage(),
            Self::Declaration(_) | Self::Offer(_) | Self::Other { .. } | Self::ClosedTables => {
                false
            }
        }
    }
}

/// Refuses a role that row level security keeps out: to it no token would ever be good, and clients
/// would throw theirs away.
pub(crate) async fn check_role(pool: &Pool) -> Result<(), Error> {
    let mut conn = storage::acquire(pool).await?;
    if access_token::is_closed(&mut conn).await? {
        return Err(Error::ClosedTables);
    }
    Ok(())
}

/// What putting a declaration in force came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    pub tenant: TenantId,
    /// The connections that ended, since their server or host is declared no more.
    pub ended: usize,
}

/// Puts a declaration in force for the tenant that it names, which is made if there is none. One
/// that does not hold with these modules changes nothing. To be called inside a transaction.
pub async fn apply(
    conn: &mut Conn,
    modules: &[Module],
    file: &str,
    text: &str,
) -> Result<Applied, Error> {
    let declaration = compile(modules, file, text)?;
    offers(&declaration, modules)?;
    let tenant = storage::tenant::ensure(conn, declaration.tenant.as_str()).await?;
    storage::tenant::apply(conn, tenant, text).await?;
    let (hosts, servers) = hosts(&declaration);
    host::drop_others(conn, tenant, &hosts).await?;
    host::declare(conn, tenant, &hosts, &servers).await?;
    let servers: Vec<String> = declaration.servers.iter().map(|it| it.name.to_string()).collect();
    let ended = end_unserved(conn, tenant, Some(&servers)).await?;
    Ok(Applied { tenant, ended })
}

/// Ends the connections that no host is left for, nor one of these servers, and says how many.
pub(crate) async fn end_unserved(
    conn: &mut Conn,
    tenant: TenantId,
    servers: Option<&[String]>,
) -> Result<usize, storage::Error> {
    let ended = ending::end_unserved(conn, tenant, servers).await?;
    security_event::record(conn, tenant, SecurityEvent::ServerRemoved, &ended).await?;
    Ok(ended.len())
}

/// Each host, and beside it the server that has it.
fn hosts(declaration: &Declaration) -> (Vec<String>, Vec<String>) {
    let servers = declaration.servers.iter();
    servers
        .flat_map(|server| server.hosts.iter().map(|it| (it.clone(), server.name.to_string())))
        .unzip()
}

pub(crate) fn compile(modules: &[Module], file: &str, text: &str) -> Result<Declaration, Error> {
    let catalogue = portico_bridge::catalogue(modules);
    portico_declaration::parse(file, text)
        .and_then(|document| portico_declaration::compile(&document, &catalogue))
        .map_err(Error::Declaration)
}

pub(crate) fn offers<'d>(
    declaration: &'d Declaration,
    modules: &[Module],
) -> Result<Vec<(&'d Server, Offer)>, Error> {
    let servers = declaration.servers.iter();
    servers.map(|server| Ok((server, Offer::compile(server, modules)?))).collect()
}

/// A tenant as the database has it.
#[derive(Debug)]
pub struct Found {
    pub snapshot: Arc<Snapshot>,
    pub is_suspended: bool,
}

/// Whose address the request came to. `locate` puts it there before any route is chosen.
#[derive(Clone, Debug)]
pub struct Tenant(pub Arc<Snapshot>);

impl<S: Sync> FromRequestParts<S> for Tenant {
    type Rejection = std::convert::Infallible;

    #[expect(clippy::expect_used, reason = "every route is behind `locate`, which inserts it")]
    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().expect("locate comes first").clone())
    }
}
