//! What one request may cost.

use std::fs;

use portico_testkit::{Client, Connection, Database, Portico, Scratch, Tenant, Wire};

const MIB: usize = 1024 * 1024;

/// The most memory that the process has had so far.
fn peak(portico: &Portico) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", portico.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.split_whitespace().next().unwrap().parse::<usize>().unwrap() * 1024
}

fn call(app: &Connection, arguments: &str) -> String {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"create_card","arguments":{{"x":{arguments}}}}}}}"#
    );
    let (token, length) = (&app.token, body.len());
    format!(
        "POST /mcp/boards HTTP/1.1\r\nHost: gateway.example\r\nAuthorization: Bearer {token}\r\n\
         Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

// sec:J11, sec:M-4
#[tokio::test]
async fn the_worst_body_costs_less_than_eight_times_its_size() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let app = ada.connect(Client::claude()).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let ask = |arguments: &str| Wire::ask(portico.address(), &call(&app, arguments));
    let text = "x".repeat(MIB - 1_000);
    // Whatever is made once is there.
    ask("[]");
    let before = peak(&portico);
    let names: Vec<String> = (0..100_000).map(|it| format!(r#""{it}":0"#)).collect();

    for (name, arguments) in [
        ("small objects, as many as are read", format!("[{}1]", r#"{"a":0},"#.repeat(2_490))),
        (
            "small objects and a long text",
            format!("[{}\"{}\"]", r#"{"a":0},"#.repeat(2_490), &text[50_000..]),
        ),
        ("one text", format!("\"{text}\"")),
        ("small objects, too many", format!("[{}1]", r#"{"a":0},"#.repeat(130_000))),
        ("names", format!("{{{}}}", names.join(","))),
        ("depth", format!("{}{}", "[".repeat(500_000), "]".repeat(500_000))),
    ] {
        ask(&arguments);
        let cost = peak(&portico) - before;
        assert!(cost < 8 * MIB, "{name}: {cost}");
    }
}

// sec:J12
#[tokio::test]
async fn a_stranger_costs_nothing_whatever_they_send() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let head = "POST /mcp/boards HTTP/1.1\r\nHost: gateway.example\r\n";
    let body = format!("[{}1]", r#"{"a":0},"#.repeat(130_000));
    let request = format!(
        "{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    Wire::ask(portico.address(), &request);

    let before = peak(&portico);
    let mut wires: Vec<Wire> = (0..200).map(|_| Wire::to(portico.address())).collect();
    for wire in &mut wires {
        wire.send(&request);
    }
    for wire in &mut wires {
        assert_eq!(&wire.answer()[..3], "401");
    }
    let cost = peak(&portico) - before;
    assert!(cost < 40 * MIB, "{cost}");
}
