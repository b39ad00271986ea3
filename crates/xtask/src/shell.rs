//! Running other programs, saying so, and what the machine is like.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{fetched, workspace};

#[expect(clippy::print_stderr, reason = "this is a command line")]
pub(crate) fn print(text: &str) {
    eprint!("{text}");
}

pub(crate) fn say(text: &str) {
    print(&format!("xtask: {text}\n"));
}

#[expect(clippy::disallowed_methods, reason = "this is a command line")]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|it| !it.is_empty())
}

/// A command in the workspace's root, which finds the Node that was fetched for it.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(workspace::root());
    if let (Some(node), Some(path)) = (fetched::node(), variable("PATH")) {
        let folders = std::iter::once(node).chain(std::env::split_paths(&path));
        // Only a folder with a colon in its name cannot be joined.
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
    }
    command
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    command(variable("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Says what it runs, and fails if that fails. Its output is the user's to read.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    say(&line);
    let status = command.status().with_context(|| format!("`{line}` cannot be run"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// What it prints, with nothing shown; `None` if it is missing or fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok().filter(|it| it.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// The first of `names` that is on `PATH`.
pub(crate) fn which(names: &[&str]) -> Option<PathBuf> {
    let path = variable("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|it| it.is_file())
}

pub(crate) fn is_root() -> Result<bool> {
    Ok(portico_embedded::is_root()?)
}

/// Debian's packages; `false` if this is no Debian, or we are not root.
pub(crate) fn apt_install(packages: &[&str]) -> Result<bool> {
    if !is_root()? || which(&["apt-get"]).is_none() {
        return Ok(false);
    }
    let apt = || {
        let mut apt = command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        apt
    };
    // Without today's lists, a package may be asked for in a version that is gone.
    run(apt().args(["update", "--quiet=2"]))?;
    let options = ["install", "--yes", "--quiet=2", "--no-install-recommends"];
    run(apt().args(options).args(packages))?;
    Ok(true)
}
