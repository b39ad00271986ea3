//! The real program, as a person or a supervisor runs it: started, spoken to, told to stop. Its
//! log is kept in a file. It is ended, and what it stored removed, with the test.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use portico_model::{PersonId, TenantId};
use portico_server::tenant::Origin;
use portico_storage as storage;
use serde_json::Value;

use crate::{Gateway, Person, Tenant, random, setting};

/// For a start with a new database, and for a stop.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(20);

/// A directory that is gone with the test.
#[derive(Debug)]
pub struct Scratch(PathBuf);

#[derive(Debug)]
pub struct Portico {
    child: Child,
    log: PathBuf,
    /// What `portico dev --json` printed.
    pub welcome: Value,
    address: String,
    origin: Origin,
}

impl Scratch {
    /// Where the account that root's Postgres runs as can reach it.
    pub fn new() -> Self {
        let name = format!("portico-test-{}-{}", std::process::id(), random::word());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir(&directory).unwrap();
        Self(directory)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    fn data_dir(&self) -> PathBuf {
        self.0.join("dev")
    }

    /// Whether the Postgres of `portico dev` is running, or was left so.
    pub fn has_postgres(&self) -> bool {
        self.data_dir().join("data/postmaster.pid").exists()
    }

    /// Every log that was written below it, one after the other.
    pub fn logs(&self) -> String {
        let mut logs = String::new();
        collect_logs(&self.0, &mut logs);
        logs
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            assert!(thread::panicking(), "{}: {error}", self.0.display());
        }
    }
}

impl Portico {
    /// `portico dev`, which answers when this returns. Started again in the same place, it goes on
    /// with what it had.
    pub fn dev(scratch: &Scratch) -> Self {
        let (mut child, log) = start(&mut dev(scratch), scratch);
        let welcome = first_line(&mut child, &log);
        Self::welcomed(child, log, &welcome)
    }

    fn welcomed(child: Child, log: PathBuf, welcome: &str) -> Self {
        let welcome: Value = serde_json::from_str(welcome).unwrap();
        let mcp = url::Url::parse(welcome["mcp_url"].as_str().unwrap()).unwrap();
        let address = mcp.origin().ascii_serialization();
        let origin = Origin { url: address.clone(), bound: Some("acme".to_owned()) };
        Self { child, log, welcome, address, origin }
    }

    /// `portico dev`, told to stop as soon as its Postgres is there; answers how it ended.
    pub fn dev_stopped_at_its_start(scratch: &Scratch) -> ExitStatus {
        let (mut child, log) = start(&mut dev(scratch), scratch);
        let deadline = Instant::now() + PATIENCE;
        while !scratch.has_postgres() {
            assert!(Instant::now() < deadline, "{}", fs::read_to_string(log).unwrap());
            thread::sleep(PAUSE);
        }
        terminate(&mut child)
    }

    /// `portico dev` whose log nobody reads.
    pub fn dev_unread(scratch: &Scratch) -> Self {
        let mut command = dev(scratch);
        command.env("PORTICO_LOG", "trace").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let log = scratch.path().join("portico-unread.log");
        File::create(&log).unwrap();
        let welcome = first_line(&mut child, &log);
        Self::welcomed(child, log, &welcome)
    }

    /// `portico serve`, for the tenant that has the origin for itself, or for all.
    pub fn serve(scratch: &Scratch, database: &str, public: &str, tenant: Option<&str>) -> Self {
        Self::serve_with(program(), (scratch, database, public), tenant, &[])
    }

    /// `portico serve` for Acme, with more arguments.
    pub fn serve_acme(scratch: &Scratch, database: &str, arguments: &[&str]) -> Self {
        let place = (scratch, database, crate::ORIGIN);
        Self::serve_with(program(), place, Some("acme"), arguments)
    }

    /// The same, with so many files at once.
    pub fn serve_acme_with_files(scratch: &Scratch, database: &str, files: u32) -> Self {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]);
        command.arg(program().get_program());
        let place = (scratch, database, crate::ORIGIN);
        Self::serve_with(command, place, Some("acme"), &[])
    }

    fn serve_with(
        mut command: Command,
        (scratch, database, public): (&Scratch, &str, &str),
        tenant: Option<&str>,
        arguments: &[&str],
    ) -> Self {
        command.args(["serve", "--listen", "127.0.0.1:0", "--public-url", public]);
        command.args(arguments);
        command.env("DATABASE_URL", database);
        if let Some(tenant) = tenant {
            command.args(["--tenant", tenant]);
        }
        let (child, log) = start(&mut command, scratch);
        let origin = Origin { url: public.to_owned(), bound: tenant.map(str::to_owned) };
        let mut portico = Self { child, log, welcome: Value::Null, address: String::new(), origin };
        portico.address = portico.wait_for_address();
        portico
    }

    /// A command that does its work and ends: how, and what it said.
    pub fn run(arguments: &[&str], database: &str) -> String {
        let done = program()
            .args(arguments)
            .env("DATABASE_URL", database)
            .env("PORTICO_LOG", "error")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let [out, err] = [done.stdout, done.stderr].map(|it| String::from_utf8(it).unwrap());
        format!("{}: {out}{err}", done.status.code().unwrap())
    }

    /// To speak to it over its socket.
    pub async fn gateway(&self, database: &str) -> Gateway {
        let pool = storage::connect(database, 2).await.unwrap();
        Gateway::behind(self.address.clone(), self.origin.clone(), pool)
    }

    /// The demo's tenant as it is stored.
    pub async fn tenant(&self, database: &str) -> Tenant {
        let gateway = self.gateway(database).await;
        let mut conn = storage::acquire(gateway.pool()).await.unwrap();
        let stored = storage::tenant::find_by_slug(&mut conn, "acme").await.unwrap().unwrap();
        Tenant { id: stored.id, slug: stored.slug, gateway: gateway.clone() }
    }

    pub fn database_url(&self) -> String {
        self.welcome["database_url"].as_str().unwrap().to_owned()
    }

    /// Somebody of those whom the welcome names.
    pub async fn person(&self, index: usize, tenant: &Tenant) -> Person {
        let described = &self.welcome["people"][index];
        let read = |name: &str| described[name].as_str().unwrap().to_owned();
        let email = read("email");
        let id = stored_person(tenant, &email).await;
        Person {
            id,
            name: email.clone(),
            email,
            password: read("password"),
            tenant: tenant.clone(),
        }
    }

    /// Told to stop as a supervisor does it; answers how it ended.
    pub fn stop(mut self) -> ExitStatus {
        terminate(&mut self.child)
    }

    /// The same, without waiting.
    pub fn tell_to_stop(&self) {
        signal(self.pid(), "TERM");
    }

    /// How it ended.
    pub fn wait(mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.address.strip_prefix("http://").unwrap()
    }

    /// Host and port of the private listener.
    pub fn private_address(&self) -> String {
        let log = self.log();
        let (_, rest) = log.split_once("answering privately address=").unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    fn wait_for_address(&mut self) -> String {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let log = self.log();
            if let Some((_, rest)) = log.split_once("listening address=") {
                return format!("http://{}", rest.split_whitespace().next().unwrap());
            }
            assert!(self.child.try_wait().unwrap().is_none(), "it ended: {log}");
            thread::sleep(PAUSE);
        }
        panic!("it never listened: {}", self.log());
    }
}

impl Drop for Portico {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            terminate(&mut self.child);
        }
    }
}

async fn stored_person(tenant: &Tenant, email: &str) -> PersonId {
    let id: TenantId = tenant.id;
    let mut conn = storage::acquire(tenant.gateway.pool()).await.unwrap();
    storage::person::find_by_email(&mut conn, id, email).await.unwrap().unwrap().id
}

fn dev(scratch: &Scratch) -> Command {
    let mut command = program();
    command.args(["dev", "--json", "--port", "0", "--data-dir"]).arg(scratch.data_dir());
    if let Some(binaries) = setting::path("PORTICO_TEST_PG_BIN") {
        command.env("PG_BIN", binaries);
    }
    command
}

fn program() -> Command {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/debug/portico");
    let program = setting::path("PORTICO_TEST_BIN").unwrap_or_else(built);
    assert!(program.is_file(), "{} is not built", program.display());
    Command::new(program)
}

/// Everything is logged, so that what must not be in a log would be.
fn start(command: &mut Command, scratch: &Scratch) -> (Child, PathBuf) {
    let log = scratch.path().join(format!("portico-{}.log", random::word()));
    let child = command
        .env("PORTICO_LOG", "trace")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(&log).unwrap())
        .spawn()
        .unwrap();
    (child, log)
}

fn first_line(child: &mut Child, log: &Path) -> String {
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "it printed nothing: {}", fs::read_to_string(log).unwrap());
    // Kept open, or its next line would be an error there.
    thread::spawn(move || out.read_to_string(&mut String::new()));
    line
}

fn terminate(child: &mut Child) -> ExitStatus {
    signal(child.id(), "TERM");
    wait(child)
}

fn signal(pid: u32, name: &str) {
    let killed = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(killed.unwrap().success());
}

fn wait(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        thread::sleep(PAUSE);
    }
    child.kill().unwrap();
    panic!("it did not stop within {PATIENCE:?}");
}

fn collect_logs(directory: &Path, logs: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_logs(&path, logs);
        } else if path.extension().is_some_and(|it| it == "log") {
            logs.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}
