//! `cargo xtask dev`: from a fresh checkout to a running gateway with a demo tenant.

use std::os::unix::process::CommandExt;

use anyhow::{Context, Result};

use crate::postgres;
use crate::shell::{self, say};
use crate::workspace;

/// Does not return if it succeeds: `portico` takes this process's place, and so gets its signals.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    // A database of the user's own needs no Postgres of ours.
    let binaries = match shell::variable("DATABASE_URL") {
        Some(_) => None,
        None => postgres::find_or_get()?,
    };
    say("building portico; the first time takes some minutes");
    shell::run(shell::cargo().args(["build", "--package", "portico-server", "--bin", "portico"]))?;

    let mut portico = shell::command(workspace::built()?.join("portico"));
    portico.arg("dev").args(options);
    if let Some(binaries) = binaries {
        portico.env("PG_BIN", binaries);
    }
    Err(portico.exec()).context("portico cannot be run")
}
