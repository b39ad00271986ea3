//! The snapshots of this instance, swapped whole when a newer version is met: one of each tenant at
//! the gateway's own origin, and one for each vanity host.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use portico_model::TenantState;
use portico_registry::Module;
use portico_storage::{self as storage, Conn, Pool};
use portico_vanity as vanity;
use tokio::sync::watch;

use crate::mcp::Served;
use crate::tenant::{Error, Found, Origin, Snapshot, compile, offers};

/// Cheap to clone.
#[derive(Clone)]
pub struct Tenants(Arc<Shared>);

struct Shared {
    origin: Origin,
    /// `None`: no request could ever name it.
    place: Option<vanity::Origin>,
    modules: Vec<Module>,
    known: watch::Sender<Known>,
}

#[derive(Default)]
struct Known {
    by_slug: HashMap<String, Arc<Snapshot>>,
    by_host: HashMap<String, Arc<Snapshot>>,
}

/// Whom a Host is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'h> {
    /// The gateway's own origin.
    Raw,
    /// Perhaps a vanity host.
    Host(&'h str),
    Nowhere,
}

impl Tenants {
    /// Reads every tenant that has a declaration. One whose declaration does not hold with the
    /// modules of this build is left out, and costs no other tenant anything.
    pub async fn load(pool: &Pool, origin: Origin, modules: Vec<Module>) -> Result<Self, Error> {
        let place = vanity::Origin::parse(&origin.url);
        let known = watch::Sender::new(Known::default());
        let tenants = Self(Arc::new(Shared { origin, place, modules, known }));
        let mut conn = storage::acquire(pool).await?;
        for stored in storage::tenant::all(&mut conn).await? {
            let slug = stored.slug.clone();
            if let Err(error) = tenants.swap_in(stored) {
                log(&slug, &error);
            }
        }
        let hosts = storage::host::all(&mut conn, None).await?;
        for host in hosts.iter().filter(|host| host.proved_at.is_some()) {
            if let Some(raw) = tenants.last_seen(&host.slug) {
                tenants.place_at(&raw, &host.host);
            }
        }
        Ok(tenants)
    }

    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    pub(crate) fn place<'h>(&self, host: &'h vanity::Host) -> Place<'h> {
        match &self.0.place {
            Some(origin) if origin.is(host) => Place::Raw,
            Some(origin) if origin.has_port_of(host) => Place::Host(host.name()),
            Some(_) | None => Place::Nowhere,
        }
    }

    /// The tenant as it was last seen. Good enough for a call, since its admission says which
    /// version is in force.
    pub fn last_seen(&self, slug: &str) -> Option<Arc<Snapshot>> {
        self.0.known.borrow().by_slug.get(slug).map(Arc::clone)
    }

    /// The same at a vanity host.
    pub fn last_seen_at(&self, host: &str) -> Option<Arc<Snapshot>> {
        self.0.known.borrow().by_host.get(host).map(Arc::clone)
    }

    /// The tenant as it is now. While the database is away, as it was last seen: documents that
    /// say how to connect are answered even then.
    pub async fn current(&self, pool: &Pool, slug: &str) -> Result<Option<Found>, Error> {
        or_last_seen(self.look(pool, slug).await, self.last_seen(slug))
    }

    /// The same of the tenant that serves a vanity host, if one does.
    pub async fn current_at(&self, pool: &Pool, host: &str) -> Result<Option<Found>, Error> {
        or_last_seen(self.look_at(pool, host).await, self.last_seen_at(host))
    }

    async fn look(&self, pool: &Pool, slug: &str) -> Result<Option<Found>, Error> {
        let mut conn = storage::acquire(pool).await?;
        let Some(standing) = storage::tenant::standing(&mut conn, slug).await? else {
            return Ok(None);
        };
        let snapshot = self.raw_at_least(&mut conn, slug, standing.version).await?;
        let is_suspended = standing.state == TenantState::Suspended;
        Ok(snapshot.map(|snapshot| Found { snapshot, is_suspended }))
    }

    async fn look_at(&self, pool: &Pool, host: &str) -> Result<Option<Found>, Error> {
        let mut conn = storage::acquire(pool).await?;
        let Some(standing) = storage::host::standing(&mut conn, host).await? else {
            self.forget(host);
            return Ok(None);
        };
        let raw = self.raw_at_least(&mut conn, &standing.slug, standing.version).await?;
        let is_suspended = standing.state == TenantState::Suspended;
        let snapshot = raw.and_then(|raw| self.place_at(&raw, host));
        Ok(snapshot.map(|snapshot| Found { snapshot, is_suspended }))
    }

    /// The snapshot, or the newer one that the database turned out to have. `None`: the tenant has
    /// the host no more.
    pub async fn at_least(
        &self,
        pool: &Pool,
        snapshot: Arc<Snapshot>,
        version: i32,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        if version <= snapshot.version {
            return Ok(Some(snapshot));
        }
        let mut newest = self.last_seen(&snapshot.slug);
        if newest.as_ref().is_none_or(|newest| version > newest.version) {
            let mut conn = storage::acquire(pool).await?;
            newest = self.renew(&mut conn, &snapshot.slug, newest).await?;
        }
        Ok(match (newest, &snapshot.host) {
            (Some(newest), Some(host)) => self.place_at(&newest, host),
            (Some(newest), None) => Some(newest),
            (None, _) => Some(snapshot),
        })
    }

    /// Whoever is at the snapshot's origin now, for a call that would be refused: a host may have
    /// moved to another tenant, or be gone.
    pub async fn again(
        &self,
        pool: &Pool,
        snapshot: &Snapshot,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        let found = match &snapshot.host {
            Some(host) => self.look_at(pool, host).await?,
            None => self.look(pool, &snapshot.slug).await?,
        };
        Ok(found.map(|found| found.snapshot))
    }

    async fn raw_at_least(
        &self,
        conn: &mut Conn,
        slug: &str,
        version: i32,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        match self.last_seen(slug) {
            Some(known) if version <= known.version => Ok(Some(known)),
            known => self.renew(conn, slug, known).await,
        }
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

    /// At every origin of the tenant's at once.
    fn swap_in(&self, stored: storage::tenant::Tenant) -> Result<Arc<Snapshot>, Error> {
        let snapshot = Arc::new(self.snapshot(stored)?);
        self.0.known.send_modify(|known| {
            let newer_known = known.by_slug.get(&snapshot.slug);
            if newer_known.is_some_and(|known| known.version > snapshot.version) {
                return;
            }
            known.by_slug.insert(snapshot.slug.clone(), Arc::clone(&snapshot));
            known.by_host.retain(|host, at| {
                if at.id != snapshot.id {
                    return true;
                }
                let anew = snapshot.at_host(&self.0.origin, host).map(Arc::new);
                anew.map(|anew| *at = anew).is_some()
            });
        });
        Ok(snapshot)
    }

    /// The tenant at a host that is its own. `None`: it declares the host no more.
    fn place_at(&self, raw: &Arc<Snapshot>, host: &str) -> Option<Arc<Snapshot>> {
        let as_new = |at: &Snapshot| at.id == raw.id && at.version >= raw.version;
        if let Some(known) = self.last_seen_at(host).filter(|at| as_new(at)) {
            return Some(known);
        }
        let placed = raw.at_host(&self.0.origin, host).map(Arc::new);
        self.0.known.send_modify(|known| match (&placed, known.by_host.get(host)) {
            (_, Some(at)) if as_new(at) => {}
            (Some(placed), _) => {
                known.by_host.insert(host.to_owned(), Arc::clone(placed));
            }
            (None, _) => {
                known.by_host.remove(host);
            }
        });
        placed
    }

    fn forget(&self, host: &str) {
        self.0.known.send_if_modified(|known| known.by_host.remove(host).is_some());
    }

    fn snapshot(&self, stored: storage::tenant::Tenant) -> Result<Snapshot, Error> {
        let declaration = compile(&self.0.modules, &stored.slug, &stored.document)?;
        if declaration.tenant.as_str() != stored.slug {
            return Err(Error::Other { other: declaration.tenant.to_string() });
        }
        let mut servers = BTreeMap::new();
        for (server, offer) in offers(&declaration, &self.0.modules)? {
            servers.insert(server.name.clone(), Arc::new(Served::new(server, offer)));
        }
        Ok(Snapshot {
            id: stored.id,
            version: stored.version,
            issuer: self.0.origin.issuer(&stored.slug),
            host: None,
            servers,
            declaration: Arc::new(declaration),
            slug: stored.slug,
        })
    }
}

fn or_last_seen(
    found: Result<Option<Found>, Error>,
    known: Option<Arc<Snapshot>>,
) -> Result<Option<Found>, Error> {
    match (found, known) {
        (Err(Error::Storage(error)), Some(known)) if error.is_outage() => {
            Ok(Some(Found { snapshot: known, is_suspended: false }))
        }
        (found, _) => found,
    }
}

fn log(slug: &str, error: &(dyn std::error::Error + 'static)) {
    tracing::error!(slug, error, "the declaration in force cannot be served");
}
