//! `portico`: reads the command line and runs what it names.

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use portico_server::cli::{Cli, Command, Connections};
use portico_server::{connections, dev, hosts, log, serve};
use portico_storage as storage;

fn main() -> ExitCode {
    let Err(error) = run(Cli::parse()) else {
        return ExitCode::SUCCESS;
    };
    // The causes in one line, and no trace: what goes wrong here is somebody's to put right.
    match writeln!(stderr(), "portico: {error:#}") {
        Ok(()) | Err(_) => exit_code(&error),
    }
}

/// 1, where a command has no better one.
fn exit_code(error: &anyhow::Error) -> ExitCode {
    let imported = error.downcast_ref().map(connections::Error::exit_code);
    let hosted = error.downcast_ref().map(hosts::Error::exit_code);
    ExitCode::from(imported.or(hosted).unwrap_or(1))
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let log = log::begin(&cli.log).context("the log setting cannot be read")?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        tokio::select! {
            done = command(cli.command) => done,
            never = log.tell_losses() => never,
        }
    })
}

async fn command(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Dev(options) => dev::dev(options).await?,
        Command::Serve(options) => serve::serve(options).await?,
        Command::Migrate(options) => storage::migrate(&options.database_url).await?,
        Command::Hosts(command) => hosts::run(command).await?,
        Command::Connections(Connections::Import(options)) => connections::import(options).await?,
    }
    Ok(())
}
