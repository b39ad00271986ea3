//! A Postgres that belongs to one test, which may kill it.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use portico_embedded::{self as embedded, Durability, Options, Server};
use portico_storage as storage;

use crate::{Database, Scratch, setting};

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);

/// Stopped, and removed with everything in it, when the test ends.
#[derive(Debug)]
pub struct Postgres {
    server: Option<Server>,
    options: Options,
    _scratch: Scratch,
}

impl Postgres {
    pub fn new() -> Self {
        let scratch = Scratch::new();
        let options = Options {
            data_dir: scratch.path().join("postgres"),
            binaries: setting::path("PORTICO_TEST_PG_BIN").or_else(|| setting::path("PG_BIN")),
            path: setting::os("PATH"),
            durability: Durability::Durable,
            statistics: false,
        };
        let server = Some(embedded::start(&options).unwrap());
        Self { server, options, _scratch: scratch }
    }

    /// Its one database, with all tables.
    pub async fn database(&self) -> Database {
        let url = self.server.as_ref().unwrap().url(embedded::DATABASE);
        storage::migrate(&url).await.unwrap();
        Database::at(&url)
    }

    /// Ends all of it where it stands: what it leaves behind would go on answering for a while.
    pub fn kill(&self) {
        for pid in self.pids() {
            // Some end by themselves when the first is gone.
            signal("KILL", &[pid]);
        }
    }

    /// Ends one of its processes where it stands, after which Postgres ends the others; if it is
    /// there still.
    pub fn kill_backend(&self, pid: u64) -> bool {
        signal("KILL", &[pid.to_string()])
    }

    /// Stops every one of its processes, which then neither answer nor hang up; until the answer
    /// is dropped.
    pub fn freeze(&self) -> Frozen {
        let pids = self.pids();
        assert!(signal("STOP", &pids));
        Frozen(pids)
    }

    /// Of every process, the one that began the others first.
    fn pids(&self) -> Vec<String> {
        let postmaster = self.pid();
        let children = Command::new("pgrep").args(["-P", &postmaster]).output().unwrap().stdout;
        let children = String::from_utf8(children).unwrap();
        let mut pids = vec![postmaster];
        pids.extend(children.lines().map(str::to_owned));
        pids
    }

    fn pid(&self) -> String {
        let lock_file = self.options.data_dir.join("data/postmaster.pid");
        let lock_file = std::fs::read_to_string(lock_file).unwrap();
        lock_file.lines().next().unwrap().to_owned()
    }

    /// Starts it again, as soon as what was left of the killed one is gone.
    pub fn restart(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match embedded::start(&self.options) {
                Ok(server) => {
                    self.server = Some(server);
                    return;
                }
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Processes that go on when this is dropped.
#[derive(Debug)]
pub struct Frozen(Vec<String>);

impl Drop for Frozen {
    fn drop(&mut self) {
        // The first to go on may end some of the others.
        let thawed = Command::new("kill").arg("-CONT").args(&self.0).status();
        assert!(thawed.is_ok() || thread::panicking());
    }
}

fn signal(name: &str, pids: &[String]) -> bool {
    let signalled = Command::new("kill").arg(format!("-{name}")).args(pids).status();
    signalled.unwrap().success()
}

impl Default for Postgres {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(server) = self.server.take()
            && let Err(error) = server.stop()
        {
            assert!(thread::panicking(), "{error}");
        }
    }
}
