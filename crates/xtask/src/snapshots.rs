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
        let unseen = unseen(&fs::read_to_string(&self.0)?, workspace::root())?;
        if unseen.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = unseen.iter().map(|it| it.display().to_string()).collect();
        bail!("no test looks at these snapshots; delete them:\n  {}", names.join("\n  "));
    }
}

/// Those below `root` that are not among `notes`, a path a line.
fn unseen(notes: &str, root: &Path) -> Result<Vec<PathBuf>> {
    let seen: BTreeSet<_> = notes.lines().filter_map(|it| fs::canonicalize(it).ok()).collect();
    let mut snapshots = Vec::new();
    for place in PLACES {
        collect(&root.join(place), &mut snapshots)?;
    }
    snapshots.retain(|it| !seen.contains(it));
    Ok(snapshots)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_that_no_test_looked_at_is_found() {
        let root = std::env::temp_dir().join(format!("portico-snapshots-{}", std::process::id()));
        let made = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::canonicalize(path).unwrap()
        };
        let seen = made("crates/pages/src/snapshots/consent.snap");
        let left = made("tests/it/snapshots/gone.snap");
        made("tests/it/account.rs");

        // As insta notes it, and twice.
        let roundabout = root.join("crates/pages/src/../src/snapshots/consent.snap");
        let notes = format!("{}\n{}\n", roundabout.display(), seen.display());
        assert_eq!(unseen(&notes, &root).unwrap(), [left]);

        fs::remove_dir_all(root).unwrap();
    }
}
