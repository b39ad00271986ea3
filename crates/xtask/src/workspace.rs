//! Where things are in the checkout and in the target directory.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

/// The directory of this very program, `target/debug` unless cargo was told otherwise.
pub(crate) fn built() -> Result<PathBuf> {
    let program = std::env::current_exe().context("this program has no path")?;
    Ok(program.parent().unwrap_or(root()).to_owned())
}

pub(crate) fn target() -> Result<PathBuf> {
    let built = built()?;
    Ok(built.parent().unwrap_or(root()).to_owned())
}

/// What was fetched because the machine did not have it.
pub(crate) fn tools() -> Result<PathBuf> {
    Ok(target()?.join("tools"))
}
