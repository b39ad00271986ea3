//! Listening, the task beside it, and the way out.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use portico_bridge::{Journal, Leases, Recorder};
use portico_identity::Hasher;
use portico_storage::{self as storage, Pool};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{sleep, timeout};

use crate::app::{App, modules};
use crate::cli::{self, Serve};
use crate::edge::Edge;
use crate::heartbeat;
use crate::listen::{self, Cut, Manner, Patience, Room};
use crate::private::{self, Life, Stage};
use crate::router::router;
use crate::sweep;
use crate::task;
use crate::tenant::{self, Origin};
use crate::tenants::Tenants;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the database cannot be used")]
    Storage(#[from] storage::Error),
    #[error(transparent)]
    Tenant(#[from] tenant::Error),
    #[error("{0} is no address that clients can reach; say theirs with --public-url")]
    NoPublicUrl(SocketAddr),
    #[error("there is no tenant {0}, or its declaration does not hold")]
    NoTenant(String),
    #[error(
        "{address} cannot be listened on, perhaps since another program does; choose another port"
    )]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the record of calls ended before the calls did")]
    Journal(#[source] Option<JoinError>),
    #[error("the gateway stopped listening")]
    Listening(#[source] Option<JoinError>),
    #[error("{0} requests took too long to finish, and were cut off")]
    Cut(usize),
    #[error("the signals to stop cannot be waited for")]
    Io(#[from] io::Error),
}

/// What the record of calls may still take after the last of them, and the database after that.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Between the signal to stop and the end of listening, where a balancer asks whether we are ready.
const USUAL_DELAY: Duration = Duration::from_secs(5);

/// Whoever asks whether the process lives needs no more.
const PRIVATE_ROOM: usize = 64;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// About four connections a core: more of them cost Postgres without answering sooner.
pub fn pool_size() -> u32 {
    u32::try_from(cores() * 4).unwrap_or(u32::MAX)
}

/// `portico serve`.
pub async fn serve(options: Serve) -> Result<(), Error> {
    let stop = told_to_stop()?;
    let life = Life::new();
    if let Some(address) = options.network.private_listen {
        let listener = listen(address).await?;
        tracing::info!(address = %listener.local_addr()?, "answering privately");
        answer_privately(listener, &life);
    }
    let pool = open(&options.database_url).await?;
    let listener = listen(options.listen).await?;
    let address = listener.local_addr()?;
    let url = match options.public_url {
        Some(url) => url,
        None if address.ip().is_unspecified() => return Err(Error::NoPublicUrl(address)),
        None => format!("http://{address}"),
    };
    let gateway = Gateway::new(pool, Origin { url, bound: options.tenant }).await?;
    let gateway = gateway.meeting(options.network, life);
    tracing::info!(%address, url = gateway.app.tenants.origin().url, "listening");
    gateway.run(vec![listener], stop).await
}

/// The database, brought up to date, as a role that can read it.
pub async fn open(database_url: &str) -> Result<Pool, Error> {
    let pool = storage::connect(database_url, pool_size()).await?;
    tenant::check_role(&pool).await?;
    storage::migrate(database_url).await?;
    Ok(pool)
}

/// From now on until the process ends.
fn answer_privately(listener: TcpListener, life: &Life) {
    let room = Room::of(PRIVATE_ROOM);
    let manner = Manner { room, patience: Patience::USUAL };
    let routes = private::routes(life.clone());
    task::start(listen::serve(vec![listener], routes, manner, pending(), pending()));
}

pub async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).await.map_err(|source| Error::Listen { address, source })
}

/// A gateway that is ready to answer.
pub struct Gateway {
    app: App,
    journal: Journal,
    life: Life,
    /// Between the signal and the end of listening.
    delay: Duration,
    most: usize,
}

impl Gateway {
    /// One that trusts no proxy and stops without delay.
    pub async fn new(pool: Pool, origin: Origin) -> Result<Self, Error> {
        let tenants = Tenants::load(&pool, origin, modules()).await?;
        if let Some(slug) = tenants.origin().bound.clone()
            && tenants.last_seen(&slug).is_none()
        {
            return Err(Error::NoTenant(slug));
        }
        let (recorder, journal) = Recorder::new();
        let (leases, hasher) = (Leases::default(), Hasher::new(cores()));
        let edge = Edge::new(Vec::new(), Vec::new());
        let app = App { pool, tenants, recorder, leases, hasher, edge };
        let most = cli::MOST_CONNECTIONS;
        Ok(Self { app, journal, life: Life::new(), delay: Duration::ZERO, most })
    }

    pub fn tenants(&self) -> &Tenants {
        &self.app.tenants
    }

    /// The same, behind the proxies and for the balancers that the operator has.
    fn meeting(mut self, network: cli::Network, life: Life) -> Self {
        self.app.edge = Edge::new(network.trusted_proxies, network.shared_egress);
        let usual = if network.private_listen.is_some() { USUAL_DELAY } else { Duration::ZERO };
        let delay = network.drain.unwrap_or(usual);
        Self { life, delay, most: network.max_connections, ..self }
    }

    /// Answers at every listener until the process is told to stop. Then it is not ready any more,
    /// goes on for the delay, lets nobody else in, finishes what is under way and records it.
    pub async fn run(
        self,
        listeners: Vec<TcpListener>,
        told: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        let Self { app, journal, life, delay, most } = self;
        let pool = app.pool.clone();
        // Dropped, each is the signal.
        let (listening, no_more_guests) = signal_by_drop();
        let (patience, at_once) = signal_by_drop();
        let (calling, no_more_calls) = signal_by_drop();
        let (_sweeping, no_more_sweeping) = signal_by_drop();
        let mut journal = task::start(journal.run(pool.clone(), no_more_calls));
        task::start(sweep::run(pool.clone(), no_more_sweeping));
        let (_beating, no_more_beats) = signal_by_drop();
        task::start(heartbeat::run(pool.clone(), no_more_beats));
        let (_pruning, no_more_pruning) = signal_by_drop();
        task::start(app.edge.clone().prune(no_more_pruning));
        let room = Room::of(listen::make_room(most, pool_size()));
        let manner = Manner { room, patience: Patience::USUAL };
        let guests = listen::serve(listeners, router(app), manner, no_more_guests, at_once);
        let mut guests = task::start(guests);
        life.enter(Stage::Serving);
        tokio::select! {
            ended = &mut guests => return Err(Error::Listening(ended.err())),
            // Nothing may run unrecorded.
            ended = &mut journal => return Err(Error::Journal(ended.err())),
            () = told => {}
        }
        life.enter(Stage::Stopping);
        tracing::info!("stopping");
        let Cut(cut) = leave(delay, Guests { listening, patience, left: guests }).await?;
        drop(calling);
        match timeout(LAST_WORDS, journal).await {
            Ok(Ok(())) => {}
            Ok(Err(ended)) => return Err(Error::Journal(Some(ended))),
            Err(_) => return Err(Error::Journal(None)),
        }
        // A request whose client was told to come back may still hold a connection.
        if timeout(LAST_WORDS, pool.close()).await.is_err() {
            tracing::warn!("the database was left in the middle of something");
        }
        if cut == 0 { Ok(()) } else { Err(Error::Cut(cut)) }
    }
}

/// Those who are being answered.
struct Guests {
    /// Others are let in until it is dropped.
    listening: oneshot::Sender<()>,
    /// They may finish until it is dropped.
    patience: oneshot::Sender<()>,
    left: JoinHandle<Cut>,
}

/// Goes on for the delay, lets nobody else in, and waits for those who are being answered. Told to
/// stop once more, it has no patience left with anybody.
async fn leave(delay: Duration, guests: Guests) -> Result<Cut, Error> {
    let Guests { listening, patience, mut left } = guests;
    let mut again = pin!(told_to_stop()?);
    let mut patience = Some(patience);
    tokio::select! {
        () = sleep(delay) => {}
        () = &mut again => patience = None,
    }
    drop(listening);
    loop {
        tokio::select! {
            cut = &mut left => return cut.map_err(|error| Error::Listening(Some(error))),
            () = &mut again, if patience.is_some() => patience = None,
        }
    }
}

/// The one half ends when the other is dropped.
fn signal_by_drop() -> (oneshot::Sender<()>, impl Future<Output = ()> + Send + 'static) {
    let (held, dropped) = oneshot::channel::<()>();
    (held, async { drop(dropped.await) })
}

/// Ends at SIGTERM or Ctrl-C. Asked for before anything is started: until then, a signal ends the
/// process where it stands.
pub fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
