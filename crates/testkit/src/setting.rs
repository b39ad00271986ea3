//! What `cargo xtask test` tells the tests through the environment.

use std::ffi::OsString;
use std::path::PathBuf;

#[expect(clippy::disallowed_methods, reason = "tests have no command line")]
pub fn os(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

pub fn text(name: &str) -> Option<String> {
    os(name).and_then(|value| value.into_string().ok())
}

pub fn path(name: &str) -> Option<PathBuf> {
    os(name).map(PathBuf::from)
}
