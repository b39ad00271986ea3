//! Programs of the tests that Node runs, with the browser of this computer. What they say is read by
//! whoever started them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::setting;

/// For all that one of them does.
pub const PATIENCE: Duration = Duration::from_mins(3);

/// Where Debian puts Chromium.
const DEBIANS: &str = "/usr/bin/chromium";

/// A program of that folder.
pub fn command(folder: &Path, program: &str) -> Command {
    let mut node = Command::new("node");
    // Otherwise the browser is the one that an npm package carries.
    if setting::path("PORTICO_TEST_CHROMIUM").is_none() && Path::new(DEBIANS).exists() {
        node.env("PORTICO_TEST_CHROMIUM", DEBIANS);
    }
    node.current_dir(folder).arg(program);
    node
}
