//! Snapshots are compared, never written, and none is left that no test looks at.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace;

/// Where snapshots may lie, from the root.
const PLACES: [&str; 2] = ["crates", "tests/it"];

/// What the tests of one run looked at.
pub(crate) struct Seen(PathBuf);

impl Seen {
    /// `tests` will note each snapshot that it reads.
    pub(crate) fn by(tests: &mut Command) -> Result<Self> {
        let notes = workspace::target()?.join("snapshots-seen");
        fs::write(&notes, "")?;
        tests.env("INSTA_UPDATE", "no").env("INSTA_SNAPSHOT_REFERENCES_FILE", &notes);
        Ok(Self(notes))
    }

    /// Fails for snapshots that a whole run did not read.
    pub(crate) fn check(&self) -> Result<()> {
        let notes = fs::read_to_string(&self.0)?;
        let seen: BTreeSet<_> = notes.lines().filter_map(|it| fs::canonicalize(it).ok()).collect();
        let mut unseen = Vec::new();
        for place in PLACES {
            collect(&workspace::root().join(place), &mut unseen)?;
        }
        unseen.retain(|it| !seen.contains(it));
        if unseen.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = unseen.iter().map(|it| it.display().to_string()).collect();
        bail!("no test looks at these snapshots; delete them:\n  {}", names.join("\n  "));
    }
}

fn collect(directory: &Path, snapshots: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, snapshots)?;
        } else if path.extension().is_some_and(|it| it == "snap") {
            snapshots.push(fs::canonicalize(path)?);
        }
    }
    Ok(())
}
