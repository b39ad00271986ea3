//! `cargo xtask pages` and `screenshots`: the pages in a browser, checked, or shown.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{self, say};
use crate::{browser, node, postgres, test, workspace};

/// Exactly the tests that drive a browser over the pages.
const SUITE: [&str; 2] = ["-E", "test(/^pages::/)"];
const PICTURES: &str = "PORTICO_TEST_PICTURES";

/// Leaves a picture of every state of every page, to look at.
pub(crate) fn check() -> Result<()> {
    let pictures = workspace::target()?.join("pages");
    test::some_with(&SUITE, &[(PICTURES, pictures.as_os_str())])?;
    say(&format!("pictures of all pages are in {}", pictures.display()));
    Ok(())
}

/// Takes the README's pictures anew, from a demo that nobody has touched.
pub(crate) fn screenshots() -> Result<()> {
    let clients = node::clients()?;
    let chromium = browser::find_or_get(&clients)?;
    let binaries = postgres::find_or_get()?;
    shell::run(shell::cargo().args(["build", "--package", "portico-server", "--bin", "portico"]))?;
    let demo = Demo::start(binaries.as_deref())?;
    let mut pictures = shell::command("node");
    pictures.arg(workspace::root().join("tests/pages/pictures.mjs")).arg(&demo.welcome);
    pictures.env("PORTICO_TEST_CHROMIUM", chromium);
    let outcome = shell::run(&mut pictures);
    demo.end()?;
    outcome
}

/// `portico dev` with a database that is thrown away.
struct Demo {
    portico: Child,
    directory: PathBuf,
    welcome: String,
}

impl Demo {
    fn start(binaries: Option<&Path>) -> Result<Self> {
        // Where the account that root's Postgres runs as can reach it.
        let name = format!("portico-screenshots-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory)?;
        let mut portico = shell::command(workspace::built()?.join("portico"));
        portico.args(["dev", "--json", "--port", "0", "--data-dir"]).arg(directory.join("dev"));
        portico.env("PORTICO_LOG", "warn").stdout(Stdio::piped()).stdin(Stdio::null());
        if let Some(binaries) = binaries {
            portico.env("PG_BIN", binaries);
        }
        let mut portico = portico.spawn().context("portico cannot be run")?;
        let mut welcome = String::new();
        if let Some(out) = portico.stdout.take() {
            BufReader::new(out).read_line(&mut welcome)?;
        }
        Ok(Self { portico, directory, welcome })
    }

    fn end(mut self) -> Result<()> {
        let mut kill = Command::new("kill");
        let told = kill.args(["-TERM", &self.portico.id().to_string()]).status()?.success();
        let status = self.portico.wait()?;
        std::fs::remove_dir_all(&self.directory)?;
        if !told || !status.success() {
            bail!("`portico dev` failed ({status})");
        }
        Ok(())
    }
}
