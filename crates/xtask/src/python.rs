//! The real MCP clients in Python that the tests drive, in an environment of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::{self, say};
use crate::workspace;

const REQUIREMENTS: &str = "tests/clients/requirements.txt";

/// The Python that has them.
pub(crate) fn with_clients() -> Result<PathBuf> {
    let environment = workspace::tools()?.join("python");
    let python = environment.join("bin/python");
    let wanted = fs::read(workspace::root().join(REQUIREMENTS)).context(REQUIREMENTS)?;
    let installed = environment.join("installed-requirements.txt");
    if python.is_file() && fs::read(&installed).is_ok_and(|it| it == wanted) {
        return Ok(python);
    }
    say("installing the Python clients that the tests drive");
    if !make(&environment) {
        shell::apt_install(&["python3", "python3-pip", "python3-venv"])?;
        if !make(&environment) {
            bail!("the tests drive real MCP clients; install Python 3.11 or newer, with venv");
        }
    }
    let mut install = shell::command(&python);
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--progress-bar=off"]);
    install.args(["--no-cache-dir", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    shell::run(install.args(["--requirement", REQUIREMENTS]))?;
    fs::write(installed, wanted)?;
    Ok(python)
}

/// Anew, since what an interrupted run left may be half of it. `false` if there is no Python, or
/// none that can.
fn make(environment: &Path) -> bool {
    let Some(python) = shell::which(&["python3"]) else { return false };
    let mut venv = shell::command(python);
    venv.args(["-m", "venv", "--clear"]).arg(environment);
    shell::answer(&mut venv).is_some()
}
