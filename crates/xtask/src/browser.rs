//! A Chromium for the tests: the one that is installed, else Debian's, else the one inside an npm package.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::{self, say};
use crate::workspace;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const OF_MACOS: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/// Beside the browser it unpacks the libraries that a bare machine lacks, for which it wants to
/// believe that it is in the cloud.
const UNPACK: &str = "import('@sparticuz/chromium')\
    .then(async it => console.log(await it.default.executablePath()))";
const CLOUD: (&str, &str) = ("AWS_EXECUTION_ENV", "AWS_Lambda_nodejs20.x");

const WITH_LIBRARIES: &str = r#"#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_PATH="$here/fonts"
exec "$here/chromium" "$@"
"#;

/// `clients` is the folder of installed npm packages.
pub(crate) fn find_or_get(clients: &Path) -> Result<PathBuf> {
    if let Some(chosen) = shell::variable("PORTICO_TEST_CHROMIUM") {
        return Ok(chosen.into());
    }
    if let Some(installed) = installed() {
        return Ok(installed);
    }
    say("there is no Chromium here; getting one for the tests");
    if shell::apt_install(&["chromium"])?
        && let Some(installed) = installed()
    {
        return Ok(installed);
    }
    unpack(clients)
}

fn unpack(clients: &Path) -> Result<PathBuf> {
    let directory = workspace::tools()?.join("chromium");
    std::fs::create_dir_all(&directory)?;
    let mut node = shell::command("node");
    node.args(["--input-type=module", "--eval", UNPACK]).current_dir(clients);
    node.env("TMPDIR", &directory).env(CLOUD.0, CLOUD.1);
    let unpacked = shell::answer(&mut node).context("@sparticuz/chromium does not unpack here")?;

    let chromium = PathBuf::from(unpacked);
    if runs(&chromium) {
        return Ok(chromium);
    }
    let wrapper = directory.join("chromium-with-libraries");
    std::fs::write(&wrapper, WITH_LIBRARIES)?;
    std::fs::set_permissions(&wrapper, Permissions::from_mode(0o755))?;
    if !runs(&wrapper) {
        bail!("{} does not run here; install Chromium", wrapper.display());
    }
    Ok(wrapper)
}

fn runs(browser: &Path) -> bool {
    shell::answer(shell::command(browser).arg("--version")).is_some()
}

fn installed() -> Option<PathBuf> {
    let of_macos = || OF_MACOS.iter().map(PathBuf::from).find(|it| it.is_file());
    shell::which(&NAMES).or_else(of_macos)
}
