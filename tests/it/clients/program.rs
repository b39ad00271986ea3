//! A program of tests/clients: run, told when what it asked for is done, and read.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

use portico_testkit::{Database, Portico, node, setting, without_ids};
use serde_json::{Value, json};

const LAST_LINES: usize = 60;

/// What it says when it wants time to pass.
const PLEASE_EXPIRE: &str = "please expire the access tokens";
const EXPIRE: &str = "update access_tokens set expires_at = now() - interval '1 second' \
    where expires_at is not null";

pub(super) struct Program {
    name: &'static str,
    arguments: Vec<&'static str>,
    /// Whether it can tell what the server calls itself.
    pub(super) hears_name: bool,
    /// Whether it speaks to `localhost` and 127.0.0.1 alone where there is no TLS.
    pub(super) wants_localhost: bool,
}

impl Program {
    pub(super) fn node(name: &'static str) -> Self {
        Self { name, arguments: Vec::new(), hears_name: true, wants_localhost: false }
    }

    pub(super) fn python(name: &'static str) -> Self {
        Self::node("python.mjs").with(name)
    }

    pub(super) fn with(mut self, argument: &'static str) -> Self {
        self.arguments.push(argument);
        self
    }

    pub(super) fn that_wants_localhost(mut self) -> Self {
        self.wants_localhost = true;
        self
    }

    pub(super) fn that_hears_no_name(mut self) -> Self {
        self.hears_name = false;
        self
    }

    /// Answers what happened at each of the targets.
    pub(super) fn run(&self, portico: &Portico, targets: &[Value]) -> Vec<Value> {
        let world = json!({ "person": portico.welcome["people"][0], "targets": targets });
        let mut child = self.start(&world);
        let out = lines(&mut child);
        let mut errors = child.stderr.take().unwrap();
        let errors = thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).map(|_| text)
        });
        let deadline = Instant::now() + node::PATIENCE;
        let mut happened = Vec::new();
        let left = || deadline.saturating_duration_since(Instant::now());
        while let Ok(line) = out.recv_timeout(left()) {
            let line: Value = serde_json::from_str(&line).unwrap();
            if line == PLEASE_EXPIRE {
                expire_access_tokens(portico);
                child.stdin.as_mut().unwrap().write_all(b"done\n").unwrap();
            } else {
                happened.push(without_what_differs(line));
            }
        }
        if Instant::now() >= deadline {
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        let errors = errors.join().unwrap().unwrap();
        assert!(
            status.success(),
            "{}: {status}\n{happened:#?}\n{errors}\n{}",
            self.name,
            end(&portico.log())
        );
        happened
    }

    fn start(&self, world: &Value) -> Child {
        node::command(&folder(), self.name)
            .arg(world.to_string())
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// Of a log in which everything is.
fn end(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.contains("sqlx::query")).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        // Nobody listens any more once the test has failed.
        out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    receiver
}

fn expire_access_tokens(portico: &Portico) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(Database::at(&portico.database_url()).execute(EXPIRE));
}

fn without_what_differs(mut happened: Value) -> Value {
    for field in ["read", "moved", "refreshed", "again"] {
        if let Some(text) = happened[field].as_str() {
            happened[field] = without_ids(text).into();
        }
    }
    happened["server"].as_object_mut().unwrap().remove("version");
    happened
}

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    setting::path("PORTICO_TEST_NODE_CLIENTS").unwrap_or_else(beside)
}
