//! Tenants as this instance sees them: each an immutable snapshot of the declaration in force,
//! swapped whole when a newer version is met.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use portico_bridge::Offer;
use portico_declaration::{Declaration, Problems, Server};
use portico_model::{Issuer, Slug, TenantId, TenantState};
use portico_oauth as oauth;
use portico_registry::Module;
use portico_storage::{self as storage, Conn, Pool};
use tokio::sync::watch;

use crate::mcp::Served;

/// What one version of a declaration came to.
#[derive(Debug)]
pub struct Snapshot {
    pub id: TenantId,
    pub slug: String,
    pub version: i32,
    pub issuer: Issuer,
    pub declaration: Declaration,
    pub(crate) servers: BTreeMap<Slug, Arc<Served>>,
}

impl Snapshot {
    /// The tenant as its authorization server sees it.
    pub fn authority(&self) -> oauth::Tenant<'_> {
        oauth::Tenant { id: self.id, issuer: &self.issuer, declaration: &self.declaration }
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
}

/// Puts a declaration in force for the tenant that it names, which is made if there is none. One
/// that does not hold with these modules changes nothing.
pub async fn apply(
    conn: &mut Conn,
    modules: &[Module],
    file: &str,
    text: &str,
) -> Result<TenantId, Error> {
    let declaration = compile(modules, file, text)?;
    offers(&declaration, modules)?;
    let tenant = storage::tenant::ensure(conn, declaration.tenant.as_str()).await?;
    storage::tenant::apply(conn, tenant, text).await?;
    Ok(tenant)
}

fn compile(modules: &[Module], file: &str, text: &str) -> Result<Declaration, Error> {
    let catalogue = portico_bridge::catalogue(modules);
    portico_declaration::parse(file, text)
        .and_then(|document| portico_declaration::compile(&document, &catalogue))
        .map_err(Error::Declaration)
}

fn offers<'d>(
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

/// The snapshots of this instance.
#[derive(Clone)]
pub struct Tenants(Arc<Shared>);

struct Shared {
    origin: Origin,
    modules: Vec<Module>,
    current: watch::Sender<HashMap<String, Arc<Snapshot>>>,
}

impl Tenants {
    /// Reads every tenant that has a declaration. One whose declaration does not hold with the
    /// modules of this build is left out, and costs no other tenant anything.
    pub async fn load(pool: &Pool, origin: Origin, modules: Vec<Module>) -> Result<Self, Error> {
        let tenants =
            Self(Arc::new(Shared { origin, modules, current: watch::Sender::new(HashMap::new()) }));
        let mut conn = storage::acquire(pool).await?;
        for stored in storage::tenant::all(&mut conn).await? {
            let slug = stored.slug.clone();
            if let Err(error) = tenants.swap_in(stored) {
                log(&slug, &error);
            }
        }
        Ok(tenants)
    }

    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// The tenant as it was last seen. Good enough for a call, since its admission says which
    /// version is in force.
    pub fn last_seen(&self, slug: &str) -> Option<Arc<Snapshot>> {
        self.0.current.borrow().get(slug).map(Arc::clone)
    }

    /// The tenant as it is now. While the database is away, as it was last seen: documents that
    /// say how to connect are answered even then.
    pub async fn current(&self, pool: &Pool, slug: &str) -> Result<Option<Found>, Error> {
        let known = self.last_seen(slug);
        match (self.look(pool, slug, known.clone()).await, known) {
            (Err(Error::Storage(error)), Some(known)) if error.is_outage() => {
                Ok(Some(Found { snapshot: known, is_suspended: false }))
            }
            (found, _) => found,
        }
    }

    async fn look(
        &self,
        pool: &Pool,
        slug: &str,
        known: Option<Arc<Snapshot>>,
    ) -> Result<Option<Found>, Error> {
        let mut conn = storage::acquire(pool).await?;
        let Some(standing) = storage::tenant::standing(&mut conn, slug).await? else {
            return Ok(None);
        };
        let is_suspended = standing.state == TenantState::Suspended;
        let snapshot = match known {
            Some(known) if standing.version <= known.version => known,
            known => match self.renew(&mut conn, slug, known).await? {
                Some(snapshot) => snapshot,
                None => return Ok(None),
            },
        };
        Ok(Some(Found { snapshot, is_suspended }))
    }

    /// The snapshot, or the newer one that the database turned out to have.
    pub async fn at_least(
        &self,
        pool: &Pool,
        snapshot: Arc<Snapshot>,
        version: i32,
    ) -> Result<Arc<Snapshot>, Error> {
        if version <= snapshot.version {
            return Ok(snapshot);
        }
        let newest = self.last_seen(&snapshot.slug).unwrap_or(snapshot);
        if version <= newest.version {
            return Ok(newest);
        }
        let mut conn = storage::acquire(pool).await?;
        let renewed = self.renew(&mut conn, &newest.slug, Some(Arc::clone(&newest))).await?;
        Ok(renewed.unwrap_or(newest))
    }

    /// Reads the declaration in force. One that does not hold with the modules of this build, as
    /// in a roll-out, leaves the last one that did.
    async fn renew(
        &self,
        conn: &mut Conn,
        slug: &str,
        known: Option<Arc<Snapshot>>,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        let Some(stored) = storage::tenant::find_by_slug(conn, slug).await? else {
            return Ok(None);
        };
        match (self.swap_in(stored), known) {
            (Err(error), Some(known)) => {
                log(slug, &error);
                Ok(Some(known))
            }
            (renewed, _) => renewed.map(Some),
        }
    }

    fn swap_in(&self, stored: storage::tenant::Tenant) -> Result<Arc<Snapshot>, Error> {
        let snapshot = Arc::new(self.snapshot(stored)?);
        self.0.current.send_modify(|current| {
            let newer_known =
                current.get(&snapshot.slug).is_some_and(|known| known.version > snapshot.version);
            if !newer_known {
                current.insert(snapshot.slug.clone(), Arc::clone(&snapshot));
            }
        });
        Ok(snapshot)
    }

    fn snapshot(&self, stored: storage::tenant::Tenant) -> Result<Snapshot, Error> {
        let declaration = compile(&self.0.modules, &stored.slug, &stored.document)?;
        if declaration.tenant.as_str() != stored.slug {
            return Err(Error::Other { other: declaration.tenant.to_string() });
        }
        let issuer = self.0.origin.issuer(&stored.slug);
        let mut servers = BTreeMap::new();
        for (server, offer) in offers(&declaration, &self.0.modules)? {
            servers.insert(server.name.clone(), Arc::new(Served::new(server, offer, &issuer)));
        }
        Ok(Snapshot {
            id: stored.id,
            version: stored.version,
            issuer,
            servers,
            declaration,
            slug: stored.slug,
        })
    }
}

fn log(slug: &str, error: &(dyn std::error::Error + 'static)) {
    tracing::error!(slug, error, "the declaration in force cannot be served");
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
