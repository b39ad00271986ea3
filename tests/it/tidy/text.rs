//! Habits that show in a line: stringly errors, narration, noise, and SQL put together from text.

use std::collections::BTreeMap;

use crate::sources::{self, Line, after};
use crate::tidy::{Findings, forbid};

/// Per thousand lines, and in percent.
const TO_STRING_CAP: usize = 8;
const COMMENT_CAP: usize = 6;

/// Functions of storage that no tenant's id could narrow down, and why.
const NOT_A_TENANTS: &[(&str, &str)] = &[
    ("pool::connect", "opens the pool"),
    ("pool::migrate", "makes the tables"),
    ("pool::acquire", "takes a connection"),
    ("pool::begin", "begins a transaction"),
    ("pool::begin_read", "begins a transaction"),
    ("pool::commit", "ends a transaction"),
    ("pool::attempt", "bounds what is done otherwise"),
    ("pool::close", "closes the pool"),
    ("pool::beat", "asks whether the database answers"),
    ("tenant::ensure", "finds the tenant itself, by its name"),
    ("tenant::find_by_slug", "finds the tenant itself, by its name"),
    ("tenant::standing", "finds the tenant itself, by its name"),
    ("tenant::all", "lists the tenants, for the process"),
    ("refresh_token::erase_answers", "looks after the table, whoever its rows belong to"),
    ("refresh_token::sweep", "looks after the table, whoever its rows belong to"),
    ("access_token::is_closed", "asks about the role that we are"),
    ("access_token::sweep", "looks after the table, whoever its rows belong to"),
    ("authorization_code::sweep", "looks after the table, whoever its rows belong to"),
    ("authorization_request::sweep", "looks after the table, whoever its rows belong to"),
    ("session::sweep", "looks after the table, whoever its rows belong to"),
    ("client::sweep", "looks after the table, whoever its rows belong to"),
    ("call_lease::sweep", "looks after the table, whoever its rows belong to"),
    ("write_budget::sweep", "looks after the table, whoever its rows belong to"),
    ("call::ensure_partitions", "looks after the table, whoever its rows belong to"),
];

#[test]
fn errors_are_types() {
    forbid("an error that is a String", |line| {
        after(line, "Result<").any(|rest| last_argument(rest) == Some("String"))
    });
    let mut findings = Findings::of("an error made of a formatted string");
    for source in sources::rust() {
        for line in source.product_lines() {
            if after(line.text, "map_err(|").any(|rest| {
                rest.split_once('|').is_some_and(|(_, body)| body.trim().starts_with("format!"))
            }) {
                findings.add(&source, line);
            }
        }
    }
    findings.none();
}

#[test]
fn texts_are_owned_at_the_edge() {
    let sources = sources::rust();
    let lines: usize = sources.iter().map(|it| it.lines().count()).sum();
    let calls: usize = sources
        .iter()
        .filter(|it| !it.path.starts_with("tests/it/tidy"))
        .map(|it| it.text.matches(".to_string()").count())
        .sum();
    let cap = lines * TO_STRING_CAP / 1000;
    assert!(calls <= cap, "{calls} of `.to_string()` in {lines} lines, {cap} at most");
}

#[test]
fn comments_give_reasons() {
    forbid("a comment that narrates", |line| {
        let Some((_, comment)) = line.split_once("// ") else {
            return false;
        };
        let comment = comment.trim_start();
        let numbered = comment.split_once(". ").is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())
        });
        let step = comment
            .strip_prefix("Step ")
            .is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()));
        numbered || step || ["===", "---", "***"].iter().any(|bar| comment.starts_with(bar))
    });
    forbid("a bar", |line| line.contains("//==") || line.contains("//--"));
}

#[test]
fn comments_are_few() {
    let mut crates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for source in sources::rust() {
        let (comments, lines) = crates.entry(source.package().to_owned()).or_default();
        for line in source.lines() {
            *lines += 1;
            let text = line.text.trim_start();
            *comments += usize::from(text.starts_with("// "));
        }
    }
    for (name, (comments, lines)) in crates {
        let cap = lines * COMMENT_CAP / 100;
        // A crate that is only beginning has no share to speak of.
        assert!(lines < 100 || comments <= cap, "{name}: {comments} comments in {lines} lines");
    }
}

#[test]
fn state_is_postgress_or_one_tasks() {
    forbid("shared mutable state", |line| {
        ["Arc<Mutex<", "Arc<RwLock<"].iter().any(|it| line.contains(it))
    });
}

#[test]
fn sql_is_checked_text() {
    let mut findings = Findings::of("built SQL");
    for source in sources::rust() {
        for line in source.lines().filter(|line| line.text.contains("AssertSqlSafe")) {
            findings.add(&source, line);
        }
    }
    findings.none();
}

#[test]
fn answers_are_compared_whole() {
    let mut findings = Findings::of("an assertion on a part");
    for source in sources::below("tests/it", &["rs"]) {
        let is_partial = |line: &Line<'_>| {
            let text = line.text.trim_start();
            text.starts_with("assert!(") && text.contains(".contains(\"")
        };
        for line in source.lines().filter(is_partial) {
            findings.add(&source, line);
        }
    }
    findings.none();
}

// Every query of a tenant's rows has a case that asks for them as another tenant.
#[test]
fn a_storage_function_has_its_case_in_isolation() {
    let isolation = sources::read("tests/it/isolation.rs")
        + &sources::below("tests/it/isolation", &["rs"])
            .iter()
            .map(|it| it.text.clone())
            .collect::<String>();
    let mut missing = Vec::new();
    for source in sources::below("crates/storage/src", &["rs"]) {
        let module = source.path.strip_prefix("crates/storage/src/").unwrap();
        let module = module.strip_suffix(".rs").unwrap().replace('/', "::");
        for line in source.product_lines() {
            let Some(rest) = line.text.trim_start().strip_prefix("pub async fn ") else {
                continue;
            };
            let name = format!("{module}::{}", sources::identifier(rest));
            let listed = NOT_A_TENANTS.iter().any(|(it, reason)| *it == name && !reason.is_empty());
            let named = after(&isolation, &name)
                .any(|rest| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_'));
            if !listed && !named {
                missing.push(name);
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "not named in tests/it/isolation.rs");
}

/// The last of the generic arguments that begin `text`, where there is more than one.
fn last_argument(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut start = None;
    for (at, character) in text.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' if depth == 0 => {
                return start.map(|start: usize| text[start..at].trim());
            }
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => start = Some(at + 1),
            _ => {}
        }
    }
    None
}
