//! How a process comes and goes, seen by whoever runs it.

use std::time::Duration;

use portico_testkit::{Database, Portico, Scratch, Tenant, Wire};

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: gateway.example\r\n\r\n")
}

/// A request that is under way, and the rest that it waits for.
fn begun(portico: &Portico) -> (Wire, &'static str) {
    let mut wire = Wire::to(portico.address());
    wire.send("POST /oauth/register HTTP/1.1\r\nHost: gateway.example\r\n");
    wire.send(
        "Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
    );
    // The program asks for the body, and so has begun.
    assert_eq!(wire.answer(), "100");
    (wire, "{}")
}

const PRIVATE: [&str; 4] = ["--private-listen", "127.0.0.1:0", "--drain", "4s"];

// sec:R18
#[tokio::test]
async fn a_process_that_is_told_to_stop_lets_its_requests_finish() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &PRIVATE);
    let private = portico.private_address();
    let ask = |path: &str| Wire::ask(&private, &get(path));
    assert_eq!(ask("/livez"), r#"200 {"status":"alive"}"#);
    // It says that it listens a moment before it does.
    while ask("/readyz") == r#"503 {"status":"starting"}"# {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(ask("/readyz"), r#"200 {"status":"ready"}"#);
    assert_eq!(ask("/mcp/boards"), r#"404 {"status":"there is nothing at this address"}"#);
    // Nor are its answers for clients.
    assert_eq!(&Wire::ask(portico.address(), &get("/readyz"))[..3], "404");

    let (mut under_way, rest) = begun(&portico);
    let mut waiting = Wire::to(portico.address());
    waiting.send(get("/.well-known/none"));
    assert_eq!(&waiting.answer()[..3], "404");

    portico.tell_to_stop();
    let stopping = r#"503 {"status":"stopping"}"#;
    while ask("/readyz") != stopping {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Balancers have not looked yet, and still send us somebody.
    assert_eq!(&Wire::ask(portico.address(), &get("/.well-known/none"))[..3], "404");
    // Whoever has no request under way is sent away when nobody else is let in.
    assert!(waiting.closed_after() < Duration::from_mins(1));
    assert!(Wire::try_to(portico.address()).is_err());
    assert_eq!(ask("/livez"), r#"200 {"status":"alive"}"#);
    under_way.send(rest);
    assert_eq!(&under_way.answer()[..3], "400");
    assert!(portico.wait().success());
}

// sec:R18
#[tokio::test]
async fn a_request_that_does_not_end_is_cut_off_and_told_of() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let (mut under_way, _) = begun(&portico);
    portico.tell_to_stop();
    assert_eq!(under_way.answer(), "");
    assert_eq!(portico.wait().code(), Some(1));
}

#[tokio::test]
async fn whoever_says_it_twice_means_now() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &["--drain", "10m"]);
    let (mut under_way, _) = begun(&portico);
    portico.tell_to_stop();
    while !portico.log().contains("stopping") {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    portico.tell_to_stop();
    assert_eq!(under_way.answer(), "");
    assert_eq!(portico.wait().code(), Some(1));
}
