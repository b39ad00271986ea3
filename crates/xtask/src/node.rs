//! Node and the real MCP clients that the tests drive.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{self, say};
use crate::{fetched, workspace};

/// Several clients crash on an older one, or quietly speak an older revision there.
const OLDEST: u32 = 24;
const FETCHED: &str = "24.22.3";

/// The folder of the installed clients.
pub(crate) fn clients() -> Result<PathBuf> {
    ensure_node()?;
    let directory = workspace::root().join("tests/clients");
    let lock =
        fs::read(directory.join("package-lock.json")).context("tests/clients has no lock")?;
    let installed = directory.join("node_modules/.installed-lock.json");
    if fs::read(&installed).is_ok_and(|it| it == lock) {
        return Ok(directory);
    }
    say("installing the clients that the tests drive");
    let mut npm = npm()?;
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&directory);
    shell::run(&mut npm)?;
    fs::write(installed, lock)?;
    Ok(directory)
}

fn ensure_node() -> Result<()> {
    if is_there() {
        return Ok(());
    }
    // Not where there is one: it may be from elsewhere, with which a distribution's packages clash.
    if shell::which(&["npm"]).is_none() {
        shell::apt_install(&["nodejs", "npm"])?;
    }
    if !is_there() && shell::which(&["npm"]).is_some() {
        fetch_node()?;
    }
    if !is_there() {
        bail!("the tests drive real MCP clients; install Node {OLDEST} or newer, with npm");
    }
    Ok(())
}

/// A distribution's is often older; its npm can get this.
fn fetch_node() -> Result<()> {
    let Some(package) = fetched::node_package() else { return Ok(()) };
    say(&format!("Node is older than {OLDEST}; getting one for the tests"));
    let mut npm = npm()?;
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
    npm.arg(fetched::node_prefix()?).arg(format!("{package}@{FETCHED}"));
    shell::run(&mut npm)
}

/// It keeps what it fetched with the rest of what is ours.
fn npm() -> Result<Command> {
    let mut npm = shell::command("npm");
    npm.env("npm_config_cache", workspace::tools()?.join("npm"));
    npm.env("npm_config_update_notifier", "false");
    Ok(npm)
}

fn is_there() -> bool {
    let version = shell::answer(shell::command("node").arg("--version"));
    let major = version.and_then(|it| it.trim_start_matches('v').split('.').next()?.parse().ok());
    major.is_some_and(|it: u32| it >= OLDEST) && shell::which(&["npm"]).is_some()
}
