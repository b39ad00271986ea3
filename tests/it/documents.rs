//! The documents say what the code does: every name that a page gives exists, and everything that
//! a page lists is listed whole.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::sources::{self, Source, after, identifier};
use crate::tidy::tests_of;

/// The pages whose requirements are numbered, by the prefix that a citation has.
const ROW_PAGES: &[&str] = &["pre", "mcp", "sec", "cli"];

// Every invariant names the test that would fail.
#[test]
fn a_named_test_exists() {
    let mut missing = Vec::new();
    let mut named = 0;
    for page in pages() {
        for span in spans(&page.text) {
            let Some((file, test)) = span.split_once(".rs::") else {
                continue;
            };
            named += 1;
            if !has_test(&format!("{file}.rs"), test) {
                missing.push(format!("{}: {span}", page.path));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(named > 0, "docs/architecture.md names no test");
}

#[test]
fn a_cited_row_is_a_requirement_in_our_words() {
    let stated = rows(&sources::read("docs/requirements.md"));
    let mut unknown = BTreeSet::new();
    for source in sources::rust().iter().chain(&clients()) {
        for line in source.lines() {
            let comment = line.text.split_once("//").map_or("", |(_, comment)| comment);
            for row in rows(comment).difference(&stated) {
                unknown.insert(format!("{}:{}: {row}", source.path, line.number));
            }
        }
    }
    assert_eq!(unknown, BTreeSet::new(), "cited, and not in docs/requirements.md");
}

#[test]
fn the_list_of_endpoints_is_whole() {
    let sources = sources::rust();
    let routed = routed(&sources);
    let mut served = BTreeSet::new();
    for source in &sources {
        let is_list = source.file_name() == "path.rs";
        for line in source.product_lines() {
            let Some((declared, value)) = line.text.split_once(": &str = \"") else { continue };
            let name = declared.rsplit(' ').next().unwrap();
            let value = value.split('"').next().unwrap();
            let is_public = declared.starts_with("pub const ") && name != "WELL_KNOWN";
            if is_list && is_public && !value.starts_with('/') {
                served.insert(format!("/.well-known/{value}"));
            } else if (is_list && is_public) || (value.starts_with('/') && routed.contains(name)) {
                // The same endpoint with a slash at its end is no other one.
                served.insert(
                    value.strip_suffix('/').filter(|it| !it.is_empty()).unwrap_or(value).to_owned(),
                );
            }
        }
    }
    let is_path = |span: &&str| span.starts_with('/');
    assert_eq!(listed("docs/reference/endpoints.md", is_path), served);
}

#[test]
fn the_list_of_tables_is_whole() {
    let tables: BTreeSet<String> = sources::below("migrations", &["sql"])
        .iter()
        .flat_map(|migration| {
            let texts = after(&migration.text, "\ncreate table ");
            let own =
                texts.filter(|rest| !rest[identifier(rest).len()..].starts_with(" partition"));
            own.map(|rest| identifier(rest).to_owned()).collect::<Vec<_>>()
        })
        .chain(first_tables())
        .collect();
    let is_table = |span: &&str| span.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
    assert_eq!(listed("docs/reference/storage.md", is_table), tables);
}

#[test]
fn the_list_of_settings_is_whole() {
    let mut settings = BTreeSet::new();
    for source in sources::rust().iter().filter(|it| it.package() == "server") {
        for line in source.product_lines() {
            for value in after(line.text, "env = \"") {
                settings.insert(identifier(value).to_owned());
            }
        }
    }
    let is_variable = |span: &&str| {
        span.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
    };
    assert_eq!(listed("docs/reference/configuration.md", is_variable), settings);
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        for target in after(&page.text, "](").filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let linked = if path.is_empty() { page.path.clone() } else { beside(&page.path, path) };
            let exists = sources::root().join(&linked).exists();
            if !exists || !(anchor.is_empty() || anchors(&linked).contains(anchor)) {
                broken.push(format!("{}: {target}", page.path));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn the_map_leads_to_every_page() {
    let map = sources::read("docs/README.md");
    let linked: BTreeSet<String> = after(&map, "](")
        .filter_map(|rest| rest.split([')', '#']).next())
        .map(|target| beside("docs/README.md", target))
        .collect();
    let missing: Vec<String> = sources::below("docs", &["md"])
        .into_iter()
        .map(|page| page.path)
        .filter(|path| path != "docs/README.md" && !linked.contains(path))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "not linked from docs/README.md");
}

#[test]
fn a_command_that_a_page_gives_exists() {
    let xtask: String =
        sources::below("crates/xtask/src", &["rs"]).into_iter().map(|it| it.text).collect();
    let mut unknown = BTreeSet::new();
    for page in pages() {
        for word in after(&page.text, "cargo xtask ").map(identifier) {
            if !word.is_empty() && !xtask.contains(&format!("\"{word}\"")) {
                unknown.insert(format!("{}: cargo xtask {word}", page.path));
            }
        }
    }
    assert_eq!(unknown, BTreeSet::new());
}

/// The names of the constants that routes are made of.
fn routed(sources: &[Source]) -> BTreeSet<String> {
    let server = sources.iter().filter(|it| it.package() == "server");
    let arguments = server.flat_map(|it| after(&it.text, ".route("));
    let names = arguments.filter_map(|rest| rest.split([',', ')']).next());
    names.map(|name| name.rsplit("::").next().unwrap().trim().to_owned()).collect()
}

fn pages() -> Vec<Source> {
    let mut pages = sources::below("docs", &["md"]);
    for path in ["README.md", "CONTRIBUTING.md"] {
        pages.push(Source { path: path.to_owned(), text: sources::read(path) });
    }
    pages
}

fn clients() -> Vec<Source> {
    sources::below("tests/clients", &["mjs"])
}

/// What stands between backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The first span of every row of a table and of every heading, where `is_name` holds.
fn listed(path: &str, is_name: impl Fn(&&str) -> bool) -> BTreeSet<String> {
    let text = sources::read(path);
    let mut names = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with(['|', '#'])) {
        let cell = line.trim_start_matches('|').split('|').next().unwrap();
        names.extend(spans(cell).filter(&is_name).map(str::to_owned));
    }
    names
}

/// `it/call.rs` is below tests/; everything else is a path from the root.
fn has_test(file: &str, test: &str) -> bool {
    let path = if file.starts_with("it/") { format!("tests/{file}") } else { file.to_owned() };
    let sources = sources::rust();
    let Some(source) = sources.iter().find(|source| source.path == path) else {
        return false;
    };
    tests_of(source).iter().any(|(_, name)| *name == test)
}

/// The rows that a text cites: `pre:O10`, `cli:24`.
fn rows(text: &str) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for page in ROW_PAGES {
        for (at, mark) in text.match_indices(&format!("{page}:")) {
            let before = text[..at].chars().next_back();
            let row = identifier(&text[at + mark.len()..]);
            let numbered = row.bytes().any(|it| it.is_ascii_digit());
            if before.is_none_or(|it| !it.is_alphanumeric()) && numbered && row.len() <= 4 {
                rows.insert(format!("{mark}{row}"));
            }
        }
    }
    rows
}

/// Tables that their migration begins with.
fn first_tables() -> Vec<String> {
    let migrations = sources::below("migrations", &["sql"]);
    let first = migrations.iter().filter_map(|it| it.text.strip_prefix("create table "));
    first.map(|rest| identifier(rest).to_owned()).collect()
}

/// The path from the root that a link on `page` means.
fn beside(page: &str, target: &str) -> String {
    let mut path = PathBuf::from(page);
    path.pop();
    for component in Path::new(target).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path.to_str().unwrap().to_owned()
}

/// The anchors of a page's headings, as code hosts make them.
fn anchors(path: &str) -> BTreeSet<String> {
    let text = sources::read(path);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
            kept.map(|it| if it == ' ' { '-' } else { it }).collect()
        })
        .collect()
}
