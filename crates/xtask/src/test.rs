//! `cargo xtask test`: what must pass before a change lands, here and in CI.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::postgres::{self, Cluster};
use crate::shell::{self, say};
use crate::snapshots::Seen;
use crate::{browser, node, prepare, python, workspace};

/// Runs on the compiler of rust-toolchain.toml.
const NEXTEST: &str = "0.9.143";

pub(crate) fn everything() -> Result<()> {
    shell::run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    prepare::check()?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    shell::run(shell::cargo().args(clippy))?;
    let doc = ["doc", "--workspace", "--no-deps", "--quiet"];
    shell::run(shell::cargo().args(doc).env("RUSTDOCFLAGS", "-D warnings"))?;
    let (mut tests, cluster) = ready()?;
    let seen = Seen::by(&mut tests)?;
    run(tests, cluster)?;
    seen.check()
}

/// Only the tests; `filters` go to nextest as they are.
pub(crate) fn some(filters: &[&str]) -> Result<()> {
    some_with(filters, &[])
}

/// The same, told more than all tests are told.
pub(crate) fn some_with(filters: &[&str], variables: &[(&str, &OsStr)]) -> Result<()> {
    let (mut tests, cluster) = ready()?;
    tests.args(filters).envs(variables.iter().copied());
    run(tests, cluster)
}

/// nextest, told of all that the tests need, and their Postgres.
fn ready() -> Result<(Command, Cluster)> {
    let clients = node::clients()?;
    let chromium = browser::find_or_get(&clients)?;
    let python = python::with_clients()?;
    let binaries = postgres::find_or_get()?;
    let mut tests = find_or_get_nextest()?;

    // One build for the program and the tests: apart, they would differ in features and build twice.
    let build = ["build", "--workspace", "--tests", "--bin", "portico"];
    shell::run(shell::cargo().args(build))?;

    let cluster = Cluster::start("test", binaries.as_deref())?;
    tests.args(["run", "--workspace"]);
    tests.env("PORTICO_TEST_DATABASE_URL", cluster.url());
    tests.env("PORTICO_TEST_BIN", workspace::built()?.join("portico"));
    tests.env("PORTICO_TEST_CHROMIUM", chromium);
    tests.env("PORTICO_TEST_NODE_CLIENTS", clients);
    tests.env("PORTICO_TEST_PYTHON", python);
    if let Some(binaries) = binaries {
        tests.env("PORTICO_TEST_PG_BIN", binaries);
    }
    Ok((tests, cluster))
}

fn run(mut tests: Command, cluster: Cluster) -> Result<()> {
    let outcome = shell::run(&mut tests);
    cluster.end()?;
    outcome
}

/// `cargo nextest`, which is a program of its own.
fn find_or_get_nextest() -> Result<Command> {
    if shell::answer(shell::cargo().args(["nextest", "--version"])).is_some() {
        let mut nextest = shell::cargo();
        nextest.arg("nextest");
        return Ok(nextest);
    }
    let tools = workspace::tools()?;
    let program = tools.join("bin/cargo-nextest");
    if !program.is_file() {
        install_nextest(&tools)?;
    }
    Ok(called_by_cargo(program))
}

fn install_nextest(tools: &Path) -> Result<()> {
    say("cargo-nextest is missing; building it takes some minutes");
    let mut install = shell::cargo();
    install.args(["install", "--locked", "cargo-nextest", "--version", NEXTEST, "--root"]);
    install.arg(tools);
    // A build that was interrupted goes on where it was.
    install.env("CARGO_TARGET_DIR", tools.join("build"));
    shell::run(&mut install)
}

/// A cargo subcommand gets its own name as its first argument.
fn called_by_cargo(program: PathBuf) -> Command {
    let mut command = shell::command(program);
    command.arg("nextest");
    command
}
