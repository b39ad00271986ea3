//! `portico hosts`: which hosts tenants declare, and the operator's word on whose they are.

use std::io::{self, Write as _};

use portico_model::TenantId;
use portico_storage::{self as storage, Conn, host, tenant};
use serde::Serialize;
use time::format_description::well_known::Rfc3339;

use crate::cli::{Hosts, ListHosts, OneHost};
use crate::tenant::end_unserved;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no tenant {0}")]
    NoTenant(String),
    #[error("{tenant} does not declare {host}; add it to a server's `hosts` first")]
    NotDeclared { tenant: String, host: String },
    #[error("another tenant has proved {0}; withdraw it there first")]
    Taken(String),
    #[error("the database cannot be used")]
    Storage(#[from] storage::Error),
    #[error("what was done could not be printed")]
    Print(#[from] io::Error),
}

impl Error {
    /// What a script learns: 4 is out of reach, 5 did not hold, 6 is not there.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NoTenant(_) | Self::NotDeclared { .. } => 6,
            Self::Taken(_) => 5,
            Self::Storage(error) if error.is_outage() => 4,
            Self::Storage(_) | Self::Print(_) => 1,
        }
    }
}

pub async fn run(command: Hosts) -> Result<(), Error> {
    match command {
        Hosts::List(options) => list(options).await,
        Hosts::Prove(options) => prove(options).await,
        Hosts::Withdraw(options) => withdraw(options).await,
    }
}

#[derive(Serialize)]
struct Listed {
    host: String,
    tenant: String,
    server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<String>,
}

async fn list(options: ListHosts) -> Result<(), Error> {
    let pool = storage::connect(&options.database_url, 1).await?;
    let mut conn = storage::acquire(&pool).await?;
    let tenant = match options.tenant {
        Some(slug) => Some(find(&mut conn, &slug).await?),
        None => None,
    };
    let hosts: Vec<Listed> = host::all(&mut conn, tenant)
        .await?
        .into_iter()
        .map(|it| Listed {
            host: it.host,
            tenant: it.slug,
            server: it.server,
            proved_at: it.proved_at.and_then(|at| at.format(&Rfc3339).ok()),
        })
        .collect();
    let mut out = io::stdout().lock();
    if options.json {
        serde_json::to_writer(&mut out, &hosts).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        for Listed { host, tenant, server, proved_at } in &hosts {
            let proved = proved_at.as_deref().unwrap_or("not proved, so not served");
            writeln!(out, "{host}  {tenant}/{server}  {proved}")?;
        }
    }
    Ok(out.flush()?)
}

#[derive(Serialize)]
struct Done<'a> {
    host: &'a str,
    tenant: &'a str,
    is_served: bool,
    ended_connections: usize,
}

impl Done<'_> {
    fn print(&self, json: bool) -> io::Result<()> {
        let Self { host, tenant, is_served, ended_connections } = self;
        let mut out = io::stdout().lock();
        if json {
            serde_json::to_writer(&mut out, self)?;
            writeln!(out)?;
        } else if *is_served {
            writeln!(out, "{host} is {tenant}'s, and served from now on.")?;
        } else {
            let ended = ended_connections;
            writeln!(out, "{host} is not served any more; {ended} connections have ended.")?;
        }
        out.flush()
    }
}

async fn prove(options: OneHost) -> Result<(), Error> {
    let OneHost { host: name, tenant: slug, database_url, json } = options;
    let pool = storage::connect(&database_url, 1).await?;
    let mut conn = storage::acquire(&pool).await?;
    let tenant = find(&mut conn, &slug).await?;
    match host::prove(&mut conn, tenant, &name).await {
        Ok(true) => {
            let done = Done { host: &name, tenant: &slug, is_served: true, ended_connections: 0 };
            Ok(done.print(json)?)
        }
        Ok(false) => Err(Error::NotDeclared { tenant: slug, host: name }),
        Err(error) if error.violates(host::PROVED_KEY) => Err(Error::Taken(name)),
        Err(error) => Err(error.into()),
    }
}

async fn withdraw(options: OneHost) -> Result<(), Error> {
    let OneHost { host: name, tenant: slug, database_url, json } = options;
    let pool = storage::connect(&database_url, 1).await?;
    let mut tx = storage::begin(&pool).await?;
    let tenant = find(&mut tx, &slug).await?;
    if !host::withdraw(&mut tx, tenant, &name).await? {
        return Err(Error::NotDeclared { tenant: slug, host: name });
    }
    // What was connected there could go on at an instance that has not heard of it.
    let ended_connections = end_unserved(&mut tx, tenant, None).await?;
    storage::commit(tx).await?;
    let done = Done { host: &name, tenant: &slug, is_served: false, ended_connections };
    Ok(done.print(json)?)
}

async fn find(conn: &mut Conn, slug: &str) -> Result<TenantId, Error> {
    let found = tenant::find_by_slug(conn, slug).await?;
    found.map(|it| it.id).ok_or_else(|| Error::NoTenant(slug.to_owned()))
}
