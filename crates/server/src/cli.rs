//! The command line: the one reader of flags and environment.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

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
}

#[derive(Debug, Args)]
pub struct Migrate {
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
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
}
