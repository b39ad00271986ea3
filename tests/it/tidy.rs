//! Caps and bans of docs/style.md, applied to the sources. Each finding is `file:line: rule`; an
//! exception has a line in `ALLOWED` that says why.

mod naming;
mod shape;
mod text;

use crate::sources::{self, Line, Source};

pub(crate) use naming::tests_of;

/// The rule, the path's beginning, and the reason why the rule does not hold there.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "built SQL",
        "crates/testkit/src/",
        "tests make databases, and look at what the product may not",
    ),
    ("built SQL", "tests/it/tidy", "names what it looks for"),
];

fn is_allowed(rule: &str, path: &str) -> bool {
    ALLOWED.iter().any(|(allowed, beginning, _)| *allowed == rule && path.starts_with(beginning))
}

/// What breaks a rule, collected so that one run shows everything.
struct Findings {
    rule: &'static str,
    found: Vec<String>,
}

impl Findings {
    fn of(rule: &'static str) -> Self {
        Self { rule, found: Vec::new() }
    }

    fn add(&mut self, source: &Source, line: Line<'_>) {
        if !is_allowed(self.rule, &source.path) {
            let text = line.text.trim();
            self.found.push(format!("{}:{}: {}: {text}", source.path, line.number, self.rule));
        }
    }

    fn add_file(&mut self, source: &Source, detail: &str) {
        if !is_allowed(self.rule, &source.path) {
            self.found.push(format!("{}: {}: {detail}", source.path, self.rule));
        }
    }

    fn none(self) {
        assert!(self.found.is_empty(), "\n{}\n", self.found.join("\n"));
    }
}

/// Fails for every line of the product that `is_broken` picks.
fn forbid(rule: &'static str, is_broken: impl Fn(&str) -> bool) {
    let mut findings = Findings::of(rule);
    for source in sources::rust() {
        for line in source.product_lines().filter(|line| is_broken(line.text)) {
            findings.add(&source, line);
        }
    }
    findings.none();
}

#[test]
fn an_exception_that_nothing_needs_is_removed() {
    for (rule, path, reason) in ALLOWED {
        assert!(!reason.is_empty(), "{rule} at {path} has no reason");
        let exists = sources::rust().iter().any(|source| source.path.starts_with(path));
        assert!(exists, "{path} is allowed `{rule}` and does not exist");
    }
}
