//! Sizes, and what a file, a crate or the root may consist of.

use std::collections::BTreeMap;
use std::fs;

use crate::sources::{self, Source};
use crate::tidy::{Findings, forbid};

const FILE_CAP: usize = 500;
const LIB_CAP: usize = 100;

/// What the root holds. Reports and plans have their place in docs/, or nowhere.
const ROOT: &[&str] = &[
    ".cargo",
    ".ci",
    ".config",
    ".git",
    ".github",
    ".gitignore",
    ".sqlx",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "clippy.toml",
    "crates",
    "deny.toml",
    "deploy",
    "docs",
    "migrations",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "target",
    "tests",
];

/// Traits that one type implements, or none here, and why each is a trait all the same.
const SMALL_TRAITS: &[(&str, &str)] = &[];

#[test]
fn files_stay_short() {
    let mut findings = Findings::of("too long");
    for source in sources::rust() {
        let cap = if source.file_name() == "lib.rs" { LIB_CAP } else { FILE_CAP };
        let lines = source.lines().count();
        if lines > cap {
            findings.add_file(&source, &format!("{lines} lines, {cap} at most"));
        }
    }
    findings.none();
}

#[test]
fn a_lib_holds_modules_and_at_most_one_type() {
    let mut findings = Findings::of("more than one type in lib.rs");
    for source in sources::rust().iter().filter(|it| it.file_name() == "lib.rs") {
        let types = source.product_lines().filter(|line| is_type(line.text)).count();
        if types > 1 {
            findings.add_file(source, &format!("{types} types"));
        }
    }
    findings.none();
}

#[test]
fn every_file_says_what_it_owns() {
    let mut findings = Findings::of("no `//!` at its beginning");
    for source in sources::rust() {
        if source.file_name() != "tests.rs" && !source.text.starts_with("//! ") {
            findings.add_file(&source, "say what it owns and what it refuses to know");
        }
    }
    findings.none();
}

#[test]
fn only_a_lib_re_exports() {
    let mut findings = Findings::of("`pub use` outside lib.rs");
    for source in sources::rust().iter().filter(|it| it.file_name() != "lib.rs") {
        for line in source.product_lines() {
            if line.text.trim_start().starts_with("pub use ") {
                findings.add(source, line);
            }
        }
    }
    findings.none();
    forbid("a prelude", |line| line.contains("mod prelude") || line.contains("pub use super"));
}

#[test]
fn a_trait_has_two_implementations() {
    let sources = sources::rust();
    let mut findings = Findings::of("a trait with fewer than two implementations");
    for source in &sources {
        for line in source.product_lines() {
            let declared = line.text.trim_start();
            let declared = declared.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
            let Some(rest) = declared.strip_prefix("trait ") else {
                continue;
            };
            let name = sources::identifier(rest);
            let listed = SMALL_TRAITS.iter().any(|(it, reason)| *it == name && !reason.is_empty());
            if !listed && implementations(&sources, name) < 2 {
                findings.add(source, line);
            }
        }
    }
    findings.none();
}

#[test]
fn the_root_holds_only_what_is_listed() {
    let entries = fs::read_dir(sources::root()).unwrap();
    let mut unknown: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !ROOT.contains(&name.as_str()))
        .collect();
    unknown.sort();
    assert_eq!(unknown, Vec::<String>::new(), "not a place for these");
}

#[test]
fn a_helper_of_three_test_modules_moves_to_the_testkit() {
    // A package's own words: what is called the same elsewhere is about something else.
    let mut files: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for source in sources::rust().iter().filter(|it| !it.path.starts_with("crates/testkit/")) {
        for name in helpers(source) {
            files.entry((source.package().to_owned(), name)).or_default().push(source.path.clone());
        }
    }
    let repeated: Vec<_> = files.iter().filter(|(_, files)| files.len() >= 3).collect();
    assert!(repeated.is_empty(), "{repeated:#?}");
}

/// Names of functions in test code that are no tests.
fn helpers(source: &Source) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in source.test_lines() {
        let text = line.text.trim_start();
        if text.starts_with("#[test]") || text.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(rest) = function(text) {
            if !is_test {
                names.push(sources::identifier(rest).to_owned());
            }
            is_test = false;
        }
    }
    // A method's name belongs to its type.
    names.retain(|name| name != "new" && name != "fmt" && name != "drop");
    names.sort();
    names.dedup();
    names
}

/// What follows `fn` in a line that declares a function.
pub(super) fn function(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub(super) ", "pub ", "const ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.strip_prefix("fn ")
}

fn is_type(line: &str) -> bool {
    let rest = line.strip_prefix("pub ").unwrap_or(line);
    rest.starts_with("struct ") || rest.starts_with("enum ")
}

fn implementations(sources: &[Source], name: &str) -> usize {
    let is_for = |line: &str| {
        line.trim_start().starts_with("impl")
            && line.split_once(" for ").is_some_and(|(head, _)| {
                let words = head.split(|it: char| !it.is_alphanumeric() && it != '_');
                words.into_iter().any(|word| word == name)
            })
    };
    sources.iter().flat_map(Source::lines).filter(|line| is_for(line.text)).count()
}
