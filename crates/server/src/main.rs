//! `portico`: reads the command line and runs what it names.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use portico_server::cli::{Cli, Command};
use portico_server::{dev, serve};
use portico_storage as storage;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let Err(error) = run(Cli::parse()) else {
        return ExitCode::SUCCESS;
    };
    // The causes in one line, and no trace: what goes wrong here is somebody's to put right.
    match writeln!(stderr(), "portico: {error:#}") {
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&cli.log).context("the log setting cannot be read")?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr)
        .init();
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        match cli.command {
            Command::Dev(options) => dev::dev(options).await?,
            Command::Serve(options) => serve::serve(options).await?,
            Command::Migrate(options) => storage::migrate(&options.database_url).await?,
        }
        Ok(())
    })
}
