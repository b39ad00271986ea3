//! `cargo xtask bench`: what a call through the gateway costs, against bare servers that do the
//! least that could answer it, side by side in one run. It times; it asserts nothing.

mod case;
mod floor;
mod load;
mod options;
mod process;
mod report;
mod run;
mod slow;
mod world;

use anyhow::Result;

use crate::options::Command;

#[tokio::main]
async fn main() -> Result<()> {
    match options::read()? {
        Command::Bench(options) => run::bench(options).await,
        Command::Floor(options) => floor::serve(options).await,
    }
}
