//! The pages in a real browser, against the real program: how they look to somebody who cannot see
//! them well, and that they lead where they should, without scripts.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use portico_testkit::{Database, Portico, Scratch, node};
use serde_json::Value;

const PAUSE: Duration = Duration::from_millis(50);

/// What a person's panel can hold, which would take weeks to come about.
const PANEL: &str = include_str!("../pages/panel.sql");

// sec:E01, sec:E14
#[tokio::test]
async fn no_page_has_a_mistake_that_a_checker_can_find_at_any_width_in_any_theme() {
    let scratch = Scratch::new();
    let portico = Portico::dev(&scratch);
    Database::at(&portico.database_url()).execute(PANEL).await;
    let found = drive("looks.mjs", &portico, &scratch);
    let found = found.as_object().unwrap();
    for (state, mistakes) in found {
        assert_eq!(mistakes, &Value::Array(vec![]), "{state}");
    }
    let mut states: Vec<&str> = found.keys().map(String::as_str).collect();
    states.sort_unstable();
    assert_snapshot!(states.join("\n"), @r"
    answered
    card
    card at an endpoint
    consent for a known address
    consent for a program, to read
    consent for a scheme
    consent for a workspace of others
    consent for an unknown address
    consent for one workspace
    consent for one workspace, to read
    consent with none ticked
    consent with workspaces
    declined
    empty panel
    not a page
    nothing there
    panel
    panel after a disconnect
    sign-in
    sign-in for a request that is gone
    sign-in for an app
    unknown app
    wrong password
    ");
}

// sec:E02, sec:E06, sec:E07, sec:E15, cli:40, cli:41, cli:43, cli:50
#[test]
fn a_browser_goes_back_to_an_app_wherever_it_is() {
    let scratch = Scratch::new();
    let portico = Portico::dev(&scratch);
    let happened = drive("flows.mjs", &portico, &scratch);
    assert_snapshot!(serde_json::to_string_pretty(&happened).unwrap(), @r#"
    {
      "a double click": "came back with its code",
      "a no": "access_denied with its state",
      "a popup": "came back with its code",
      "a program on this computer": "came back with its code",
      "a scheme of its own": "came back with its code",
      "a web site": "came back with its code",
      "a web site that goes on to a scheme": "came back with its code",
      "the Back button": "Sign in to Acme, and nobody",
      "two tabs": "/callback/one came back with its code, /callback/other came back with its code"
    }
    "#);
}

/// What a program of tests/pages says about a demo.
fn drive(program: &str, portico: &Portico, scratch: &Scratch) -> Value {
    let file = |name: &str| scratch.path().join(format!("{program}.{name}"));
    let mut child = node::command(&folder(), program)
        .arg(portico.welcome.to_string())
        .stdin(Stdio::null())
        .stdout(File::create(file("out")).unwrap())
        .stderr(File::create(file("errors")).unwrap())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + node::PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(PAUSE);
    };
    let read = |name| fs::read_to_string(file(name)).unwrap();
    let succeeded = status.is_some_and(|status| status.success());
    assert!(succeeded, "{program}: {status:?}\n{}", read("errors"));
    serde_json::from_str(&read("out")).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("pages")
}
