//! Tenants as this instance sees them: each an immutable snapshot of the declaration in force,
//! swapped whole when a newer version is met.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use portico_bridge::Offer;
use portico_declaration::{Declaration, Problems};
use portico_model::{Issuer, TenantId};
use portico_oauth as oauth;
use portico_registry::Module;
use portico_storage::{self as storage, Pool};
use tokio::sync::watch;

/// What one version of a declaration came to.
#[derive(Debug)]
pub struct Snapshot {
    pub id: TenantId,
    pub slug: String,
    pub version: i32,
    pub issuer: Issuer,
    pub declaration: Declaration,
    /// By the server's name.
    pub offers: BTreeMap<String, Offer>,
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
    #[error("the stored declaration of {slug} does not hold here")]
    Declaration { slug: String, source: Problems },
    #[error("the stored declaration of {slug} cannot be offered here")]
    Offer { slug: String, source: portico_bridge::OfferError },
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
    /// Reads every tenant that has a declaration.
    pub async fn load(pool: &Pool, origin: Origin, modules: Vec<Module>) -> Result<Self, Error> {
        let tenants =
            Self(Arc::new(Shared { origin, modules, current: watch::Sender::new(HashMap::new()) }));
        let mut conn = storage::acquire(pool).await?;
        for stored in storage::tenant::all(&mut conn).await? {
            tenants.swap_in(stored)?;
        }
        Ok(tenants)
    }

    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// The tenant as it was last seen; one that was never seen is looked up.
    pub async fn find(&self, pool: &Pool, slug: &str) -> Result<Option<Arc<Snapshot>>, Error> {
        if let Some(known) = self.known(slug) {
            return Ok(Some(known));
        }
        let mut conn = storage::acquire(pool).await?;
        match storage::tenant::find_by_slug(&mut conn, slug).await? {
            Some(stored) => self.swap_in(stored).map(Some),
            None => Ok(None),
        }
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
        if let Some(known) = self.known(&snapshot.slug)
            && version <= known.version
        {
            return Ok(known);
        }
        let mut conn = storage::acquire(pool).await?;
        match storage::tenant::find_by_slug(&mut conn, &snapshot.slug).await? {
            Some(stored) => self.swap_in(stored),
            None => Ok(snapshot),
        }
    }

    fn known(&self, slug: &str) -> Option<Arc<Snapshot>> {
        self.0.current.borrow().get(slug).map(Arc::clone)
    }

    fn swap_in(&self, stored: storage::tenant::Tenant) -> Result<Arc<Snapshot>, Error> {
        let snapshot = Arc::new(self.compile(stored)?);
        self.0.current.send_modify(|current| {
            let newer_known =
                current.get(&snapshot.slug).is_some_and(|known| known.version > snapshot.version);
            if !newer_known {
                current.insert(snapshot.slug.clone(), Arc::clone(&snapshot));
            }
        });
        Ok(snapshot)
    }

    fn compile(&self, stored: storage::tenant::Tenant) -> Result<Snapshot, Error> {
        let slug = stored.slug;
        let modules = &self.0.modules;
        let declaration = portico_declaration::parse(&slug, &stored.document)
            .and_then(|document| {
                portico_declaration::compile(&document, &portico_bridge::catalogue(modules))
            })
            .map_err(|source| Error::Declaration { slug: slug.clone(), source })?;
        let offers = declaration
            .servers
            .iter()
            .map(|server| Ok((server.name.clone(), Offer::compile(server, modules)?)))
            .collect::<Result<_, _>>()
            .map_err(|source| Error::Offer { slug: slug.clone(), source })?;
        let issuer = self.0.origin.issuer(&slug);
        Ok(Snapshot { id: stored.id, slug, version: stored.version, issuer, declaration, offers })
    }
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
