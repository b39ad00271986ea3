//! `cargo xtask bench`: builds the gateway and the bench as they are deployed, and lets them run.

use anyhow::Result;

use crate::shell::{self, say};
use crate::{postgres, workspace};

pub(crate) fn run(options: &[&str]) -> Result<()> {
    let binaries = postgres::find_or_get()?;
    say("building with optimisation; the first time takes some minutes");
    let packages = ["--package", "portico-server", "--package", "portico-bench"];
    let mut build = shell::cargo();
    shell::run(build.args(["build", "--release", "--bins"]).args(packages))?;
    let release = workspace::target()?.join("release");
    let mut bench = shell::command(release.join("portico-bench"));
    bench.arg("--portico").arg(release.join("portico")).args(options);
    if let Some(binaries) = binaries {
        bench.env("PG_BIN", binaries);
    }
    shell::run(&mut bench)
}
