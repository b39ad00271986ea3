//! The command line: the one reader of flags and environment.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use ipnet::IpNet;
use portico_vanity::Host;

/// A multi-tenant hosted MCP gateway with its own authorization server.
#[derive(Debug, Parser)]
#[command(name = "portico", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// What is logged: a level, or directives such as `info,portico_server=debug`.
    #[arg(
        long,
        global = true,
        env = "PORTICO_LOG",
        default_value = "info,sqlx::postgres::notice=warn"
    )]
    pub log: String,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs a demo on this machine: a database of its own, a tenant with people and boards.
    Dev(Dev),
    /// Runs the gateway on a database that is there.
    Serve(Serve),
    /// Brings the database's schema up to date.
    Migrate(Migrate),
    /// Looks after what people have connected.
    #[command(subcommand)]
    Connections(Connections),
    /// Looks after the hosts that tenants have of their own.
    #[command(subcommand)]
    Hosts(Hosts),
}

#[derive(Debug, Args)]
pub struct Dev {
    /// Where the demo keeps its database [default: /var/lib/portico/dev as root, else
    /// `portico/dev` below `XDG_DATA_HOME`]
    #[arg(long)]
    pub data_dir: Option<PathBuf>,

    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8700)]
    pub port: u16,

    /// Prints one line of JSON when the gateway answers, instead of the welcome.
    #[arg(long)]
    pub json: bool,

    /// Uses this database instead of starting one. Not read from `DATABASE_URL`, which may be
    /// another project's.
    #[arg(long)]
    pub database_url: Option<String>,

    #[command(flatten)]
    pub postgres: Postgres,
}

/// How an installed Postgres is found.
#[derive(Debug, Args)]
pub struct Postgres {
    /// The folder that holds `initdb` and `postgres`.
    #[arg(long, env = "PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    #[arg(long, env = "PATH", hide = true)]
    pub path: Option<OsString>,
    #[arg(long, env = "XDG_DATA_HOME", hide = true)]
    pub xdg_data_home: Option<OsString>,
    #[arg(long, env = "HOME", hide = true)]
    pub home: Option<OsString>,
}

#[derive(Debug, Args)]
pub struct Serve {
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Where to listen.
    #[arg(long, env = "PORTICO_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// The origin under which clients reach the gateway, `https://mcp.example.com`. Everything
    /// that it says about its own addresses is built from this. [default: http:// and the
    /// address listened on]
    #[arg(long, env = "PORTICO_PUBLIC_URL", value_parser = origin)]
    pub public_url: Option<String>,

    /// The tenant that has the origin for itself; without one, each is below /v/TENANT.
    #[arg(long, env = "PORTICO_TENANT")]
    pub tenant: Option<String>,

    #[command(flatten)]
    pub network: Network,
}

/// How the process meets the network.
#[derive(Debug, Args)]
pub struct Network {
    /// Where /livez and /readyz are answered, and nothing else; not for clients.
    #[arg(long, env = "PORTICO_PRIVATE_LISTEN")]
    pub private_listen: Option<SocketAddr>,

    /// How long requests are still taken after the signal to stop, while /readyz says that they
    /// should go elsewhere [default: 5s with a private listener, else 0s]
    #[arg(long, env = "PORTICO_DRAIN", value_parser = duration)]
    pub drain: Option<Duration>,

    /// The networks of your own proxies, whose X-Forwarded-For is believed.
    #[arg(long, env = "PORTICO_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,

    /// Networks from which many people's assistants come, and may send twenty times as much.
    #[arg(
        long,
        env = "PORTICO_SHARED_EGRESS",
        value_delimiter = ',',
        default_value = SHARED_EGRESS
    )]
    pub shared_egress: Vec<IpNet>,

    /// How many may be connected at once; never more than the system lets this process have.
    #[arg(long, env = "PORTICO_MAX_CONNECTIONS", default_value_t = MOST_CONNECTIONS)]
    pub max_connections: usize,
}

/// Anthropic's, from which every request of Claude comes.
const SHARED_EGRESS: &str = "160.79.104.0/21,2607:6bc0::/48";

pub(crate) const MOST_CONNECTIONS: usize = 10_000;

#[derive(Debug, Args)]
pub struct Migrate {
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
}

#[derive(Debug, Subcommand)]
pub enum Connections {
    /// Takes over tokens of an earlier system, by their hashes: all of a file, or nothing of it.
    Import(Import),
}

#[derive(Debug, Args)]
pub struct Import {
    /// A JSON object a line: `sha256`, `person`, `server`, `client`, `scopes`, `created_at`, and
    /// perhaps `host`.
    pub file: PathBuf,

    /// The tenant whose tokens they are.
    #[arg(long)]
    pub tenant: String,

    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// The origin under which clients reach the gateway, as `serve` is told.
    #[arg(long, env = "PORTICO_PUBLIC_URL", value_parser = origin)]
    pub public_url: String,

    /// The tenant that has the origin for itself, as `serve` is told with --tenant.
    #[arg(long, env = "PORTICO_TENANT")]
    pub bound: Option<String>,

    /// Says that no tenant has the origin for itself: each is below /v/TENANT.
    #[arg(long, conflicts_with = "bound")]
    pub shared: bool,
}

#[derive(Debug, Subcommand)]
pub enum Hosts {
    /// Shows which hosts are declared, by whom, and which are served.
    List(ListHosts),
    /// Takes the operator's word that the host is the tenant's. It is served from then on.
    Prove(OneHost),
    /// Stops serving the host, and ends what is connected there.
    Withdraw(OneHost),
}

#[derive(Debug, Args)]
pub struct ListHosts {
    /// Only this tenant's.
    #[arg(long)]
    pub tenant: Option<String>,

    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Prints a list in JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OneHost {
    /// A name or an address, without a port.
    #[arg(value_parser = host)]
    pub host: String,

    /// The tenant whose host it is, and which declares it.
    #[arg(long)]
    pub tenant: String,

    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,

    /// Prints what was done in JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("must be a host name or an address, without a port")]
struct NoHost;

fn host(text: &str) -> Result<String, NoHost> {
    let host = Host::parse(text).filter(|host| host.port().is_none()).ok_or(NoHost)?;
    Ok(host.name().to_owned())
}

#[derive(Debug, thiserror::Error)]
enum NoOrigin {
    #[error(transparent)]
    Unreadable(#[from] url::ParseError),
    #[error("must begin with https:// or http://")]
    Scheme,
    #[error("must be an origin alone, such as {0}")]
    More(String),
}

/// An origin and nothing behind it: issuers are compared byte for byte, so there is one spelling.
fn origin(text: &str) -> Result<String, NoOrigin> {
    let url = url::Url::parse(text)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(NoOrigin::Scheme);
    }
    let origin = url.origin().ascii_serialization();
    if text.trim_end_matches('/') != origin {
        return Err(NoOrigin::More(origin));
    }
    Ok(origin)
}

#[derive(Debug, thiserror::Error)]
#[error("must be a whole number with its unit, such as 500ms, 25s or 2m")]
struct NoDuration;

fn duration(text: &str) -> Result<Duration, NoDuration> {
    let (number, unit) =
        text.split_at(text.find(|it: char| !it.is_ascii_digit()).ok_or(NoDuration)?);
    let number: u32 = number.parse().map_err(|_| NoDuration)?;
    match unit {
        "ms" => Ok(Duration::from_millis(number.into())),
        "s" => Ok(Duration::from_secs(number.into())),
        "m" => Ok(Duration::from_mins(number.into())),
        _ => Err(NoDuration),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_public_address_is_an_origin_in_its_one_spelling() {
        for (text, read) in [
            ("https://mcp.example.com", Some("https://mcp.example.com")),
            ("https://mcp.example.com/", Some("https://mcp.example.com")),
            ("http://127.0.0.1:8700", Some("http://127.0.0.1:8700")),
            ("https://mcp.example.com/mcp", None),
            ("https://mcp.example.com:443", None),
            ("https://user@mcp.example.com", None),
            ("HTTPS://mcp.example.com", None),
            ("ftp://mcp.example.com", None),
            ("mcp.example.com", None),
        ] {
            assert_eq!(origin(text).ok().as_deref(), read, "{text}");
        }
    }

    #[test]
    fn a_length_of_time_has_its_unit() {
        for (text, read) in [
            ("500ms", Some(Duration::from_millis(500))),
            ("0s", Some(Duration::ZERO)),
            ("25s", Some(Duration::from_secs(25))),
            ("2m", Some(Duration::from_mins(2))),
            ("25", None),
            ("s", None),
            ("-1s", None),
            ("1 s", None),
            ("", None),
        ] {
            assert_eq!(duration(text).ok(), read, "{text}");
        }
    }
}
