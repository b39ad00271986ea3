//! Words that say nothing, in the names of types, modules, functions and tests.

use crate::sources::{self, Source};
use crate::tidy::shape::function;
use crate::tidy::{Findings, forbid};

const EMPTY_SUFFIXES: &[&str] =
    &["Manager", "Service", "Helper", "Handler", "Factory", "Engine", "Utils", "Util"];

const EMPTY_MODULES: &[&str] = &[
    "common.rs",
    "core.rs",
    "handler.rs",
    "handlers.rs",
    "helpers.rs",
    "manager.rs",
    "mod.rs",
    "service.rs",
    "services.rs",
    "types.rs",
    "utils.rs",
];

const EMPTY_VERBS: &[&str] = &["get_", "process_", "handle_", "do_", "perform_"];

const EMPTY_PROMISES: &[&str] = &["works", "success", "happy_path"];

#[test]
fn types_are_named_for_a_noun() {
    forbid("an empty suffix", |line| {
        let names = declared_type(line);
        names.is_some_and(|name| EMPTY_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)))
    });
    forbid("a struct named Config", |line| {
        declared_type(line).is_some_and(|name| name.ends_with("Config"))
    });
}

#[test]
fn modules_are_named_for_what_they_hold() {
    let mut findings = Findings::of("an empty module name");
    for source in sources::rust() {
        if EMPTY_MODULES.contains(&source.file_name()) {
            findings.add_file(&source, "name the noun");
        }
    }
    findings.none();
}

#[test]
fn functions_begin_with_a_verb_that_says_something() {
    forbid("an empty verb", |line| {
        function(line).is_some_and(|name| EMPTY_VERBS.iter().any(|verb| name.starts_with(verb)))
    });
}

#[test]
fn tests_are_sentences() {
    let mut findings = Findings::of("a test that promises nothing");
    for source in sources::rust() {
        for (line, name) in tests_of(&source) {
            let words = name.split('_').count();
            let empty = EMPTY_PROMISES.iter().any(|word| name.ends_with(word));
            if name.starts_with("test_") || empty || words < 3 {
                findings.add(&source, line);
            }
        }
    }
    findings.none();
}

/// Each test of a file with the line of its `fn`.
pub(crate) fn tests_of(source: &Source) -> Vec<(sources::Line<'_>, &str)> {
    let mut tests = Vec::new();
    let mut is_test = false;
    for line in source.lines() {
        let text = line.text.trim_start();
        if text.starts_with("#[test]") || text.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(rest) = function(text)
            && std::mem::take(&mut is_test)
        {
            tests.push((line, sources::identifier(rest)));
        }
    }
    tests
}

fn declared_type(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub(super) ", "pub "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    Some(sources::identifier(name))
}
