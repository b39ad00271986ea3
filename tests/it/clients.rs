//! Real clients and a real browser against the real program: each connects, works, is disconnected
//! in the panel, is refused, and connects again.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use portico_testkit::{Portico, Scratch, setting, without_ids};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(50);

/// Where Debian puts Chromium.
const DEBIANS: &str = "/usr/bin/chromium";

const TOOLS: [&str; 7] = [
    "list_workspaces",
    "list_boards",
    "read_board",
    "create_board",
    "create_card",
    "update_card",
    "move_card",
];

const BEFORE: &str = "\
Launch [id] https://app.acme.example/boards/id: 3 columns, 4 cards

## To do (2)
- [id] Write the announcement (unassigned)
- [id] Check the sign-up form on a phone (unassigned)

## Doing (1)
- [id] Translate the pricing page (unassigned)

## Done (1)
- [id] Choose a date (unassigned)";

const MOVED: &str = "Moved the card \"Write the announcement\" [id] from \"To do\" to \"Doing\" \
    on the board \"Launch\" [id] (https://app.acme.example/boards/id).";

const AFTER: &str = "\
Launch [id] https://app.acme.example/boards/id: 3 columns, 4 cards

## To do (1)
- [id] Check the sign-up form on a phone (unassigned)

## Doing (2)
- [id] Translate the pricing page (unassigned)
- [id] Write the announcement (unassigned)

## Done (1)
- [id] Choose a date (unassigned)";

// pre:O22
#[test]
fn the_typescript_sdk_of_the_handshake_era_goes_the_whole_way() {
    let happened = travel("sdk1.mjs", &[]);
    assert_eq!(happened, expected("Journey with SDK 1", "UnauthorizedError", "2025-11-25"));
}

#[test]
fn the_typescript_sdk_2_goes_the_whole_way_with_a_handshake() {
    let happened = travel("sdk2.mjs", &["legacy"]);
    let name = "Journey with SDK 2 (legacy)";
    assert_eq!(happened, expected(name, "UnauthorizedError", "2025-11-25"));
}

#[test]
fn the_typescript_sdk_2_goes_the_whole_way_without_a_handshake() {
    let happened = travel("sdk2.mjs", &["2026-07-28"]);
    let name = "Journey with SDK 2 (2026-07-28)";
    assert_eq!(happened, expected(name, "UnauthorizedError", "2026-07-28"));
}

#[test]
fn mcp_remote_goes_the_whole_way() {
    // Its host hears the server's name, and not which revision it was asked in.
    let mut expected = expected("MCP CLI Proxy", "asks to sign in again", "");
    expected["server"].as_object_mut().unwrap().remove("protocol");
    assert_eq!(travel("mcp-remote.mjs", &[]), expected);
}

fn expected(app: &str, refused: &str, protocol: &str) -> Value {
    json!({
        "asked": format!("Connect {app} to Acme?"),
        "server": { "name": "boards", "title": "Acme boards", "protocol": protocol },
        "tools": TOOLS,
        "read": BEFORE,
        "moved": MOVED,
        "panel": format!("{app} is disconnected. It can no longer reach your workspaces."),
        "refused": refused,
        "again": AFTER,
    })
}

/// Runs one of the programs in tests/clients against a new demo, and answers what it saw.
fn travel(program: &str, arguments: &[&str]) -> Value {
    let scratch = Scratch::new();
    let portico = Portico::dev(&scratch);
    let mut node = Command::new("node");
    // Otherwise the browser is the one that an npm package carries.
    if setting::path("PORTICO_TEST_CHROMIUM").is_none() && Path::new(DEBIANS).exists() {
        node.env("PORTICO_TEST_CHROMIUM", DEBIANS);
    }
    let mut child = node
        .current_dir(clients())
        .arg(program)
        .arg(portico.welcome.to_string())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let out = thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let mut errors = child.stderr.take().unwrap();
    let errors = thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).map(|_| text)
    });
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            break None;
        }
        thread::sleep(PAUSE);
    };
    let (out, errors) = (out.join().unwrap().unwrap(), errors.join().unwrap().unwrap());
    let succeeded = status.is_some_and(|status| status.success());
    assert!(succeeded, "{program}: {status:?}\n{out}\n{errors}\n{}", portico.log());
    let mut happened: Value = serde_json::from_str(&out).unwrap();
    for field in ["read", "moved", "again"] {
        happened[field] = without_ids(happened[field].as_str().unwrap()).into();
    }
    happened["server"].as_object_mut().unwrap().remove("version");
    happened
}

fn clients() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    setting::path("PORTICO_TEST_NODE_CLIENTS").unwrap_or_else(beside)
}
