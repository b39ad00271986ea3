//! `portico`: reads the command line and runs what it names.

use anyhow::Context as _;
use clap::Parser as _;
use portico_server::cli::{Cli, Command};
use portico_server::{dev, serve};
use portico_storage as storage;
use tracing_subscriber::EnvFilter;

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let filter = EnvFilter::try_new(&cli.log).context("the log setting cannot be read")?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
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
