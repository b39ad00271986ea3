//! `cargo xtask`: the commands of a developer's day. Each finds what it needs on the machine or gets it.

mod bench;
mod browser;
mod dev;
mod fetched;
mod node;
mod pages;
mod postgres;
mod prepare;
mod python;
mod shell;
mod snapshots;
mod sql;
mod test;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  dev [OPTION…]       builds portico and runs `portico dev`, with a Postgres of its own
  test                everything that must pass before a change lands
  ci                  the same
  test FILTER…        only the tests, as `cargo nextest run FILTER…`
  pages               the pages in a browser, with pictures of all of them in target/pages
  screenshots         takes the pictures of the README anew
  bench [OPTION…]     what a call costs, against bare servers; --json, --quick
  prepare             checks the SQL against the migrations and renews .sqlx
  prepare --check     fails if .sqlx is not what `prepare` would write
";

const MISUSED: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["dev", options @ ..] => dev::run(options),
        ["test" | "ci"] => test::everything(),
        ["test", filters @ ..] => test::some(filters),
        ["bench", options @ ..] => bench::run(options),
        ["pages"] => pages::check(),
        ["screenshots"] => pages::screenshots(),
        ["prepare"] => prepare::renew(),
        ["prepare", "--check"] => prepare::check(),
        ["help" | "--help" | "-h"] => {
            shell::print(USAGE);
            return ExitCode::SUCCESS;
        }
        _ => {
            shell::print(USAGE);
            return ExitCode::from(MISUSED);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            shell::say(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
