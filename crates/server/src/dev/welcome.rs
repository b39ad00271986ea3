//! What `portico dev` says when it answers. Refuses to know how it came about.

use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use portico_declaration::{self as declaration, Lifetime};
use portico_model::{Address, Issuer};
use serde::Serialize;

use super::Error;
use crate::demo::{self, Person};
use crate::serve::{self, Gateway};

/// What a person or a program needs to begin.
#[derive(Serialize)]
pub(super) struct Welcome<'w> {
    mcp_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    vanity_url: Option<String>,
    servers: Vec<Server>,
    panel_url: String,
    database_url: &'w str,
    people: &'w [Person],
    #[serde(skip)]
    origin: String,
}

#[derive(Serialize)]
struct Server {
    name: String,
    url: String,
    /// The same at a host of its own, where this machine has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    vanity_url: Option<String>,
    access_token: String,
}

impl<'w> Welcome<'w> {
    pub(super) fn new(
        gateway: &Gateway,
        addresses: &[SocketAddr],
        people: &'w [Person],
        database_url: &'w str,
    ) -> Result<Self, Error> {
        let tenants = gateway.tenants();
        let no_tenant = || serve::Error::NoTenant(demo::TENANT.to_owned());
        let tenant = tenants.last_seen(demo::TENANT).ok_or_else(no_tenant)?;
        let has = |address: IpAddr| addresses.iter().any(|it| it.ip() == address);
        let at_vanity = |server: &declaration::Server| {
            let host = server.hosts.first()?;
            let is_here = host.parse().map_or(true, has);
            let issuer = Issuer::of_host(&tenants.origin().url, host, server.name.as_str());
            is_here.then(|| issuer.resource(&Address::of(server.name.as_str())))
        };
        let servers: Vec<Server> = tenant
            .declaration
            .servers
            .iter()
            .map(|server| Server {
                name: server.name.to_string(),
                url: tenant.issuer.resource(&Address::of(server.name.as_str())),
                vanity_url: at_vanity(server),
                access_token: written(server.access_token),
            })
            .collect();
        let main = servers.iter().find(|it| it.name == demo::SERVER);
        Ok(Self {
            mcp_url: tenant.issuer.resource(&Address::of(demo::SERVER)),
            vanity_url: main.and_then(|it| it.vanity_url.clone()),
            servers,
            panel_url: tenant.issuer.url(portico_pages::path::CONNECTIONS),
            database_url,
            people,
            origin: tenants.origin().url.clone(),
        })
    }

    pub(super) fn print_json(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, self)?;
        writeln!(out)
    }

    pub(super) fn print(&self) -> io::Result<()> {
        let Self { mcp_url, vanity_url, panel_url, database_url, people, origin, .. } = self;
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "\nPortico is running. Connect a client to this address:\n\n    {mcp_url}\n"
        )?;
        if let Some(vanity) = vanity_url {
            writeln!(out, "or, as at a host of the tenant's own, to this one:\n\n    {vanity}\n")?;
        }
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
        writeln!(out, "\nAnother process can serve the same tenant beside this one, as behind a")?;
        writeln!(out, "balancer: it answers whoever asks it for the address above.\n")?;
        let program = std::env::current_exe()?;
        writeln!(out, "    DATABASE_URL='{database_url}' {} serve \\", program.display())?;
        writeln!(out, "      --tenant acme --public-url {origin} --listen 127.0.0.1:8701")?;
        writeln!(out, "\nCtrl-C stops the gateway and its database; what you changed is kept.")?;
        out.flush()
    }
}

/// As a declaration has it.
fn written(lifetime: Lifetime) -> String {
    const HOUR: Duration = Duration::from_hours(1);
    match lifetime {
        Lifetime::UntilRevoked => "until-revoked".to_owned(),
        Lifetime::Expires(ttl) if ttl.as_secs().is_multiple_of(HOUR.as_secs()) => {
            format!("{}h", ttl.as_secs() / HOUR.as_secs())
        }
        Lifetime::Expires(ttl) => format!("{}s", ttl.as_secs()),
    }
}
