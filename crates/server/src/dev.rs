//! `portico dev`: a gateway for this machine alone, with a database of its own and a tenant to
//! try it on.

mod welcome;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;

use portico_embedded::{self as embedded, Durability};
use portico_storage::{self as storage};
use tokio::net::TcpListener;

use self::welcome::Welcome;
use crate::cli::{Dev, Postgres};
use crate::demo;
use crate::serve::{self, Gateway, listen};
use crate::tenant::Origin;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Postgres(#[from] embedded::Error),
    #[error("the database cannot be used")]
    Storage(#[from] storage::Error),
    #[error(transparent)]
    Demo(#[from] demo::Error),
    #[error(transparent)]
    Serve(#[from] serve::Error),
    #[error("the welcome could not be printed")]
    Print(#[from] io::Error),
}

pub async fn dev(options: Dev) -> Result<(), Error> {
    let mut stop = pin!(serve::told_to_stop()?);
    let listeners = listen_here(options.port).await?;
    let database = Database::open(options.database_url, options.data_dir, options.postgres)?;
    let served = async {
        let gateway = tokio::select! {
            gateway = prepare(&database.url, &listeners, options.json) => gateway?,
            () = &mut stop => return Ok(()),
        };
        gateway.run(listeners, stop).await?;
        Ok(())
    }
    .await;
    // Also after a failure: nothing of ours is left running.
    database.close()?;
    served
}

/// At the address that is the gateway's own, and at those of its vanity hosts as far as the machine
/// has them. `localhost` is read as either of two.
async fn listen_here(port: u16) -> Result<Vec<TcpListener>, Error> {
    let own = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let port = own.local_addr()?.port();
    let mut listeners = vec![own];
    for address in [IpAddr::V4(demo::SECOND_LOOPBACK), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
        match listen(SocketAddr::from((address, port))).await {
            Ok(listener) => listeners.push(listener),
            Err(error) => tracing::info!(%error, "the demo does without an address"),
        }
    }
    Ok(listeners)
}

/// From a database to a gateway that has said how to reach it.
async fn prepare(
    database_url: &str,
    listeners: &[TcpListener],
    json: bool,
) -> Result<Gateway, Error> {
    let pool = serve::open(database_url).await?;
    let people = demo::seed(&pool).await?;
    let addresses =
        listeners.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>()?;
    let url = addresses.first().map(|own| format!("http://{own}")).unwrap_or_default();
    let origin = Origin { url, bound: Some(demo::TENANT.to_owned()) };
    let gateway = Gateway::new(pool, origin).await?;
    let welcome = Welcome::new(&gateway, &addresses, &people, database_url)?;
    if json { welcome.print_json() } else { welcome.print() }?;
    Ok(gateway)
}

/// The database of the demo: one that is given, or a private Postgres.
struct Database {
    url: String,
    server: Option<embedded::Server>,
}

impl Database {
    fn open(
        url: Option<String>,
        data_dir: Option<PathBuf>,
        postgres: Postgres,
    ) -> Result<Self, embedded::Error> {
        if let Some(url) = url {
            return Ok(Self { url, server: None });
        }
        let data_dir = match data_dir {
            Some(data_dir) => data_dir,
            None => embedded::home(postgres.xdg_data_home.as_deref(), postgres.home.as_deref())?
                .join("dev"),
        };
        let server = embedded::start(&embedded::Options {
            data_dir,
            binaries: postgres.pg_bin,
            path: postgres.path,
            durability: Durability::Durable,
            statistics: false,
        })?;
        Ok(Self { url: server.url(embedded::DATABASE), server: Some(server) })
    }

    fn close(self) -> Result<(), embedded::Error> {
        self.server.map_or(Ok(()), embedded::Server::stop)
    }
}
