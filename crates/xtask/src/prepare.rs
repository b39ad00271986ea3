//! `cargo xtask prepare`: every checked statement against a database made by the migrations.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use portico_embedded::DATABASE;

use crate::postgres::{self, Cluster};
use crate::shell::{self, say};
use crate::sql::{self, Answers};
use crate::workspace;

const PACKAGE: &str = "portico-storage";
const LIBRARY: &str = "crates/storage/src/lib.rs";

pub(crate) fn renew() -> Result<()> {
    let fresh = ask_the_database()?;
    let directory = workspace::root().join(".sqlx");
    let committed = sql::read(&directory)?;
    let differences = sql::differences(&committed, &fresh);
    sql::write(&directory, &committed, &fresh)?;
    say(&format!("{} statements, {} files changed", fresh.len(), differences.len()));
    Ok(())
}

pub(crate) fn check() -> Result<()> {
    let fresh = ask_the_database()?;
    let committed = sql::read(&workspace::root().join(".sqlx"))?;
    let differences = sql::differences(&committed, &fresh);
    if differences.is_empty() {
        return Ok(());
    }
    bail!(".sqlx is not fresh; run `cargo xtask prepare`:\n  {}", differences.join("\n  "));
}

fn ask_the_database() -> Result<Answers> {
    let binaries = postgres::find_or_get()?;
    let cluster = Cluster::start("prepare", binaries.as_deref())?;
    let answers = migrate(&cluster).and_then(|()| compile_against(&cluster));
    cluster.end()?;
    answers
}

fn migrate(cluster: &Cluster) -> Result<()> {
    for file in migrations()? {
        let text = fs::read_to_string(&file)?;
        cluster
            .server
            .execute(DATABASE, &text)
            .with_context(|| format!("{} does not apply", file.display()))?;
    }
    Ok(())
}

fn migrations() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace::root().join("migrations"))? {
        files.push(entry?.path());
    }
    files.retain(|it| it.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    Ok(files)
}

fn compile_against(cluster: &Cluster) -> Result<Answers> {
    let directory = workspace::target()?.join("sqlx");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;

    let mut check = shell::cargo();
    check.args(["check", "--quiet", "--package", PACKAGE, "--all-targets"]);
    check.env("SQLX_OFFLINE", "false").env("SQLX_OFFLINE_DIR", &directory);
    check.env("DATABASE_URL", cluster.url());
    let touched = Touched::new(&workspace::root().join(LIBRARY))?;
    let outcome = shell::run(&mut check);
    touched.restore()?;
    outcome?;
    sql::read(&directory)
}

/// Cargo compiles a crate again when its source looks new. The time is put back afterwards, so that
/// the next build does not do it a second time.
struct Touched {
    file: File,
    before: SystemTime,
    now: SystemTime,
}

impl Touched {
    #[expect(clippy::disallowed_methods, reason = "the clock that cargo compares with")]
    fn new(path: &Path) -> Result<Self> {
        let file =
            File::options().append(true).open(path).with_context(|| path.display().to_string())?;
        let before = file.metadata()?.modified()?;
        file.set_modified(SystemTime::now())?;
        let now = file.metadata()?.modified()?;
        Ok(Self { file, before, now })
    }

    fn restore(self) -> Result<()> {
        // Somebody may have saved the file in an editor meanwhile.
        if self.file.metadata()?.modified()? == self.now {
            self.file.set_modified(self.before)?;
        }
        Ok(())
    }
}
