//! The files of the repository, as the tests of the house read them. Knows no rule.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with its path from the root, in slashes.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A line of a source.
#[derive(Clone, Copy)]
pub(crate) struct Line<'s> {
    pub(crate) number: usize,
    pub(crate) text: &'s str,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every file below `directory` with one of the extensions, in order of path.
pub(crate) fn below(directory: &str, extensions: &[&str]) -> Vec<Source> {
    let mut sources = Vec::new();
    collect(&root().join(directory), extensions, &mut sources);
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources
}

/// All Rust that is ours.
pub(crate) fn rust() -> Vec<Source> {
    let mut sources = below("crates", &["rs"]);
    sources.extend(below("tests", &["rs"]));
    sources
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn collect(directory: &Path, extensions: &[&str], sources: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["node_modules", "target"].contains(&name) {
                collect(&path, extensions, sources);
            }
        } else if path.extension().is_some_and(|it| extensions.iter().any(|known| it == *known)) {
            let text = fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            sources.push(Source { path, text });
        }
    }
}

impl Source {
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text })
    }

    /// Lines of the product, without those of test modules.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = Line<'_>> {
        let end = if self.is_test_file() {
            0
        } else {
            let test_module = |line: &Line<'_>| line.text.trim_start() == "#[cfg(test)]";
            self.lines().find(test_module).map_or(usize::MAX, |line| line.number)
        };
        self.lines().take_while(move |line| line.number < end)
    }

    /// Lines of test modules: tests and what helps them.
    pub(crate) fn test_lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines().skip(self.product_lines().count())
    }

    pub(crate) fn is_test_file(&self) -> bool {
        self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
            || self.path.starts_with("tests/")
    }

    /// The crate's directory below `crates/`, or `tests`.
    pub(crate) fn package(&self) -> &str {
        let below = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        below.split('/').next().unwrap()
    }

    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }
}

/// The identifier at the beginning of `text`; empty if there is none.
pub(crate) fn identifier(text: &str) -> &str {
    let end = text.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(text.len());
    &text[..end]
}

/// What follows each occurrence of `mark` in `text`.
pub(crate) fn after<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(mark).map(move |(at, _)| &text[at + mark.len()..])
}
