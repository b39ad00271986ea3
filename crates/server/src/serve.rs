//! Listening, the task beside it, and the way out.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use portico_bridge::{Journal, Recorder};
use portico_identity::Hasher;
use portico_storage::{self as storage, Pool};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinError;

use crate::app::{App, modules};
use crate::cli::Serve;
use crate::router::router;
use crate::task;
use crate::tenant::{self, Origin, Tenants};

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
    Io(#[from] io::Error),
}

/// What a request may still take after the listener has closed.
const DRAIN: Duration = Duration::from_secs(5);

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
    storage::migrate(&options.database_url).await?;
    let pool = storage::connect(&options.database_url, pool_size()).await?;
    let listener = listen(options.listen).await?;
    let address = listener.local_addr()?;
    let url = match options.public_url {
        Some(url) => url,
        None if address.ip().is_unspecified() => return Err(Error::NoPublicUrl(address)),
        None => format!("http://{address}"),
    };
    let gateway = Gateway::new(pool, Origin { url, bound: options.tenant }).await?;
    tracing::info!(%address, url = gateway.app.tenants.origin().url, "listening");
    gateway.run(listener, stop).await
}

pub async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).await.map_err(|source| Error::Listen { address, source })
}

/// A gateway that is ready to answer.
pub struct Gateway {
    app: App,
    journal: Journal,
}

impl Gateway {
    pub async fn new(pool: Pool, origin: Origin) -> Result<Self, Error> {
        let tenants = Tenants::load(&pool, origin, modules()).await?;
        if let Some(slug) = tenants.origin().bound.clone()
            && tenants.last_seen(&slug).is_none()
        {
            return Err(Error::NoTenant(slug));
        }
        let (recorder, journal) = Recorder::new();
        let app = App { pool, tenants, recorder, hasher: Hasher::new(cores()) };
        Ok(Self { app, journal })
    }

    /// Answers until the process is told to stop; then what is under way is finished and
    /// recorded.
    pub async fn run(
        self,
        listener: TcpListener,
        told: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        let Self { app, journal } = self;
        let pool = app.pool.clone();
        // Dropped, each is the signal.
        let (listening, no_more_requests) = oneshot::channel::<()>();
        let (calling, no_more_calls) = oneshot::channel::<()>();
        let journal = journal.run(pool.clone(), async { drop(no_more_calls.await) });
        let mut journal = task::start(journal);
        let server = axum::serve(listener, router(app))
            .with_graceful_shutdown(async { drop(no_more_requests.await) });
        let mut server = task::start(server.into_future());
        tokio::select! {
            ended = &mut server => ended.map_err(io::Error::other)??,
            // Nothing may run unrecorded.
            ended = &mut journal => return Err(Error::Journal(ended.err())),
            () = told => {
                tracing::info!("stopping");
                drop(listening);
                match tokio::time::timeout(DRAIN, &mut server).await {
                    Ok(ended) => ended.map_err(io::Error::other)??,
                    Err(_) => server.abort(),
                }
            }
        }
        // A connection that is stuck keeps its recorder, but has no call in the journal.
        drop(calling);
        match tokio::time::timeout(DRAIN, journal).await {
            Ok(Ok(())) => {}
            Ok(Err(ended)) => return Err(Error::Journal(Some(ended))),
            Err(_) => return Err(Error::Journal(None)),
        }
        pool.close().await;
        Ok(())
    }
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
