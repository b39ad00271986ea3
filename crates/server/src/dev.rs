//! `portico dev`: a gateway for this machine alone, with a database of its own and a tenant to
//! try it on.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;

use portico_embedded::{self as embedded, Durability};
use portico_storage::{self as storage};
use serde::Serialize;

use crate::cli::{Dev, Postgres};
use crate::demo::{self, Person};
use crate::serve::{self, Gateway, listen, pool_size};
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
    let listener = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).await?;
    let address = listener.local_addr()?;
    let database = Database::open(options.database_url, options.data_dir, options.postgres)?;
    let served = async {
        let url = format!("http://{address}");
        let gateway = tokio::select! {
            gateway = prepare(&database.url, url, options.json) => gateway?,
            () = &mut stop => return Ok(()),
        };
        gateway.run(listener, stop).await?;
        Ok(())
    }
    .await;
    // Also after a failure: nothing of ours is left running.
    database.close()?;
    served
}

/// From a database to a gateway that has said how to reach it.
async fn prepare(database_url: &str, url: String, json: bool) -> Result<Gateway, Error> {
    storage::migrate(database_url).await?;
    let pool = storage::connect(database_url, pool_size()).await?;
    let people = demo::seed(&pool).await?;
    let origin = Origin { url: url.clone(), bound: Some(demo::TENANT.to_owned()) };
    let welcome = Welcome {
        mcp_url: origin.issuer(demo::TENANT).resource(demo::SERVER),
        panel_url: origin.issuer(demo::TENANT).url(portico_pages::path::CONNECTIONS),
        database_url,
        people: &people,
        origin: url,
    };
    let gateway = Gateway::new(pool, origin).await?;
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

/// What a person or a program needs to begin.
#[derive(Serialize)]
struct Welcome<'w> {
    mcp_url: String,
    panel_url: String,
    database_url: &'w str,
    people: &'w [Person],
    #[serde(skip)]
    origin: String,
}

impl Welcome<'_> {
    fn print_json(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, self)?;
        writeln!(out)
    }

    fn print(&self) -> io::Result<()> {
        let Self { mcp_url, panel_url, database_url, people, origin } = self;
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "\nPortico is running. Connect a client to this address:\n\n    {mcp_url}\n"
        )?;
        writeln!(out, "The client opens a browser. Sign in there as one of these people:\n")?;
        for Person { email, password, workspaces } in *people {
            let names: Vec<&str> = workspaces.iter().map(|it| it.name.as_str()).collect();
            writeln!(out, "    {email}   password: {password}   in: {}", names.join(", "))?;
        }
        writeln!(out, "\nThree things to try:\n")?;
        writeln!(out, "  1. Claude Code:  claude mcp add --transport http acme {mcp_url}")?;
        writeln!(out, "     then /mcp to sign in. Other clients are in the README.")?;
        writeln!(out, "  2. Ask it: read the Launch board of Website, and move a card to Done.")?;
        writeln!(out, "  3. Disconnect it at {panel_url}")?;
        writeln!(out, "     and see its next call refused.")?;
        writeln!(out, "\nAnother process can serve the same tenant beside this one:\n")?;
        writeln!(out, "    DATABASE_URL='{database_url}' target/debug/portico serve \\")?;
        writeln!(out, "      --tenant acme --public-url {origin} --listen 127.0.0.1:8701")?;
        writeln!(out, "\nCtrl-C stops the gateway and its database; what you changed is kept.")?;
        out.flush()
    }
}
