//! The committed answers of the SQL check: one file a statement, named by its hash.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// File name to content.
pub(crate) type Answers = BTreeMap<String, Vec<u8>>;

pub(crate) fn read(directory: &Path) -> Result<Answers> {
    let mut answers = Answers::new();
    if !directory.exists() {
        return Ok(answers);
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        answers.insert(name, fs::read(entry.path())?);
    }
    Ok(answers)
}

/// What separates the committed files from the fresh ones, a line each.
pub(crate) fn differences(committed: &Answers, fresh: &Answers) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, content) in fresh {
        match committed.get(name) {
            None => lines.push(format!("missing {name}")),
            Some(other) if other != content => lines.push(format!("changed {name}")),
            Some(_) => {}
        }
    }
    lines.extend(
        committed.keys().filter(|it| !fresh.contains_key(*it)).map(|it| format!("stale {it}")),
    );
    lines
}

/// Makes `directory` hold exactly the fresh files.
pub(crate) fn write(directory: &Path, committed: &Answers, fresh: &Answers) -> Result<()> {
    fs::create_dir_all(directory)?;
    for (name, content) in fresh {
        if committed.get(name) != Some(content) {
            fs::write(directory.join(name), content).with_context(|| name.clone())?;
        }
    }
    for name in committed.keys().filter(|it| !fresh.contains_key(*it)) {
        fs::remove_file(directory.join(name)).with_context(|| name.clone())?;
    }
    Ok(())
}
