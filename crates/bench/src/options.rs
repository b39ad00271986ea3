//! The command line: the bench itself, or one of the bare servers that it starts from the same
//! program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

const USAGE: &str = "\
usage: portico-bench --portico PROGRAM [--json] [--quick] [--rounds N] [--seconds N]
       portico-bench floor constant|statements PORT DATABASE_URL PLAN";

pub(crate) enum Command {
    Bench(Bench),
    Floor(Floor),
}

pub(crate) struct Bench {
    /// The gateway.
    pub(crate) portico: PathBuf,
    /// Ends with one line of JSON.
    pub(crate) json: bool,
    pub(crate) rounds: usize,
    /// How long each server is asked in each round of each case.
    pub(crate) time: Duration,
    /// Two cases instead of all.
    pub(crate) quick: bool,
    /// Where to look for Postgres.
    pub(crate) pg_bin: Option<PathBuf>,
    pub(crate) path: Option<OsString>,
}

pub(crate) struct Floor {
    pub(crate) kind: Kind,
    pub(crate) port: u16,
    pub(crate) database_url: String,
    /// The world, as JSON.
    pub(crate) plan: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Answers the same bytes to everything.
    Constant,
    /// Admits, and reads the board, and does nothing else.
    Statements,
}

pub(crate) fn read() -> Result<Command> {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if_eq("floor").is_some() {
        return floor(&mut words).map(Command::Floor).context(USAGE);
    }
    bench(&mut words).map(Command::Bench).context(USAGE)
}

fn floor(words: &mut impl Iterator<Item = String>) -> Result<Floor> {
    let mut next = || words.next().context("an argument is missing");
    let kind = match next()?.as_str() {
        "constant" => Kind::Constant,
        "statements" => Kind::Statements,
        other => bail!("there is no floor {other}"),
    };
    Ok(Floor { kind, port: next()?.parse()?, database_url: next()?, plan: next()? })
}

fn bench(words: &mut impl Iterator<Item = String>) -> Result<Bench> {
    let mut portico = None;
    let (mut json, mut quick) = (false, false);
    let (mut rounds, mut seconds) = (5, 0.8);
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} lacks its value"));
        match word.as_str() {
            "--portico" => portico = Some(value()?.into()),
            "--rounds" => rounds = value()?.parse()?,
            "--seconds" => seconds = value()?.parse()?,
            "--json" => json = true,
            "--quick" => quick = true,
            other => bail!("unknown option {other}"),
        }
    }
    let portico = portico.context("--portico is missing")?;
    let time = Duration::try_from_secs_f64(seconds)?;
    let (pg_bin, path) = (variable("PG_BIN").map(PathBuf::from), variable("PATH"));
    Ok(Bench { portico, json, rounds, time, quick, pg_bin, path })
}

#[expect(clippy::disallowed_methods, reason = "this is a command line")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
