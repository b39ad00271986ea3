//! What is no HTTP that everybody reads in the same way.

use axum::body::Body;
use http::Request;
use portico_testkit::{Database, Portico, Scratch, Tenant, Wire};

const HOST: &str = "Host: gateway.example\r\n";

// sec:A03, sec:M-2
#[tokio::test]
async fn a_request_that_was_sent_before_the_last_one_was_answered_is_not_read() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let get = format!("GET /.well-known/none HTTP/1.1\r\n{HOST}\r\n");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let post = format!("POST /oauth/token HTTP/1.1\r\n{HOST}{form}Content-Length: 3\r\n\r\na=b");
    let hidden = format!(
        "POST /oauth/token HTTP/1.1\r\n{HOST}{form}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );

    let chunked = format!(
        "POST /.well-known/none HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );

    for (first, status) in [(&get, "404"), (&post, "400"), (&chunked, "404")] {
        for second in [&hidden, &hidden[..20]] {
            let mut wire = Wire::to(portico.address());
            wire.send(format!("{first}{second}"));
            assert_eq!(wire.answer()[..3].to_owned(), status);
            assert_eq!(wire.answer(), "", "the connection is closed");
        }
    }
    // In its turn, it is told what is wrong with it.
    let mut wire = Wire::to(portico.address());
    for (request, status) in [(&get, "404"), (&hidden, "400")] {
        wire.send(request.as_str());
        assert_eq!(wire.answer()[..3].to_owned(), status);
    }
    assert_eq!(wire.answer(), "", "the connection is closed");
    // One after the other, as clients send them.
    let mut wire = Wire::to(portico.address());
    for (request, status) in [(&get, "404"), (&post, "400"), (&post, "400"), (&get, "404")] {
        wire.send(request.as_str());
        assert_eq!(wire.answer()[..3].to_owned(), status);
    }
}

/// Every answer in one line; a page's by its title.
fn told(portico: &Portico, request: &str) -> String {
    let answer = Wire::ask(portico.address(), request);
    match answer.split_once("<title>") {
        Some((head, rest)) => format!("{} {}", &head[..3], rest.split_once('<').unwrap().0),
        None => answer,
    }
}

// sec:A03, sec:A05, sec:A06, sec:N05, sec:N06, sec:M-2
#[tokio::test]
async fn a_request_that_is_read_in_two_ways_is_refused_in_the_words_of_its_address() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let ask = |head: &str, lines: &str| told(&portico, &format!("{head} HTTP/1.1\r\n{lines}\r\n"));

    insta::assert_snapshot!(ask("POST /mcp/boards", ""), @r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Send a Host header"}}"#);
    insta::assert_snapshot!(ask("POST /oauth/token", ""), @r#"400 {"error":"invalid_request","error_description":"send a Host header"}"#);
    insta::assert_snapshot!(ask("GET /connections", ""), @"400 This cannot be answered · Portico");

    let with = |line: &str| ask("POST /oauth/token", &format!("{HOST}{line}"));
    insta::assert_snapshot!(with("Host: evil.test\r\n"), @r#"400 {"error":"invalid_request","error_description":"send one Host header"}"#);
    insta::assert_snapshot!(with("Authorization: a\r\nAuthorization: b\r\n"), @r#"400 {"error":"invalid_request","error_description":"send one Authorization header"}"#);
    insta::assert_snapshot!(with("Content-Type: a/b\r\nContent-Type: a/b\r\n"), @r#"400 {"error":"invalid_request","error_description":"send one Content-Type header"}"#);
    let lengths = r#"400 {"error":"invalid_request","error_description":"the length of the body is stated more than once, or a line is not ended properly"}"#;
    for lines in [
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 0\r\nContent-Length: 0\r\n",
        "X: y\n",
    ] {
        assert_eq!(with(lines), lengths, "{lines:?}");
    }
    for host in ["a/b@c", "u@evil", "gateway.example:99999", "gateway.example.", &"a".repeat(300)] {
        let told = ask("GET /oauth/token", &format!("Host: {host}\r\n"));
        let expected =
            r#"400 {"error":"invalid_request","error_description":"the Host header is no host"}"#;
        assert_eq!(told, expected, "{host}");
    }
    insta::assert_snapshot!(ask("GET http://evil.test/mcp/boards", HOST), @r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The address and the Host header name different hosts"}}"#);
    insta::assert_snapshot!(ask("TRACE /mcp/boards", HOST), @r#"405 {"jsonrpc":"2.0","error":{"code":-32600,"message":"This method is not served"}}"#);
    assert_eq!(ask("CONNECT evil.test:443", HOST), "405 This cannot be answered · Portico");

    let many = "X: y\r\n".repeat(101);
    insta::assert_snapshot!(with(&many), @r#"431 {"error":"invalid_request","error_description":"there are more than 100 headers"}"#);
    insta::assert_snapshot!(with(&format!("X: {}\r\n", "y".repeat(40_000))), @r#"431 {"error":"invalid_request","error_description":"the headers are larger than 32 KiB"}"#);
    insta::assert_snapshot!(ask(&format!("GET /mcp/{}", "a".repeat(20_000)), HOST), @r#"414 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The address is longer than 16 KiB"}}"#);
    // Those are never read to their end.
    insta::assert_snapshot!(ask(&format!("GET /mcp/{}", "a".repeat(70_000)), HOST), @r#"414 {"jsonrpc":"2.0","error":{"code":-32600,"message":"The address is longer than 16 KiB"}}"#);
    insta::assert_snapshot!(with(&format!("X: {}\r\n", "y".repeat(600_000))), @r#"431 {"error":"invalid_request","error_description":"the headers are larger than 32 KiB"}"#);
    insta::assert_snapshot!(ask("POST /oauth/token", &format!("{HOST}X\u{1}: y\r\n")), @r#"400 {"error":"invalid_request","error_description":"the request cannot be read"}"#);
    assert_eq!(ask("GET / HTTP/0.9", HOST), "400 This cannot be answered · Portico");
    let extension = format!("1;{}\r\n", "x".repeat(70_000));
    for (path, kind) in [("/oauth/token", "x-www-form-urlencoded"), ("/oauth/register", "json")] {
        let chunked = format!(
            "POST {path} HTTP/1.1\r\n{HOST}Content-Type: application/{kind}\r\nTransfer-Encoding: chunked\r\n\r\n{extension}"
        );
        let told = told(&portico, &chunked);
        assert!(told.starts_with(r#"400 {"error":"#), "{told}");
        assert!(
            told.ends_with(r#""error_description":"the body did not arrive whole"}"#),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_method_that_is_not_served_is_told_of_those_that_are() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let trace = Request::trace(acme.url("/mcp/boards")).body(Body::empty()).unwrap();
    let answer = acme.gateway.send(trace).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.header("allow"), Some("GET, HEAD, POST, DELETE, OPTIONS"));
}

// sec:N06
#[tokio::test]
async fn no_other_protocol_is_spoken_or_changed_to() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);

    assert_eq!(Wire::ask(portico.address(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "");
    let upgrade =
        "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n";
    let ask = format!("GET /.well-known/none HTTP/1.1\r\n{HOST}{upgrade}\r\n");
    insta::assert_snapshot!(told(&portico, &ask), @r#"404 {"error":"not_found","error_description":"there is nothing at this address"}"#);
}

// sec:N05, sec:J12
#[tokio::test]
async fn a_sender_hears_why_nobody_reads_what_it_sends() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let post = |path: &str, length: usize| {
        format!(
            "POST {path} HTTP/1.1\r\n{HOST}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
    };

    // A small rest is taken, and the connection goes on.
    let mut wire = Wire::to(portico.address());
    for _ in 0..2 {
        wire.send(post("/mcp/boards", 40_000));
        wire.send("x".repeat(40_000));
        assert_eq!(&wire.answer()[..3], "401");
    }

    for (path, status) in [("/mcp/boards", "401"), ("/oauth/register", "413")] {
        let mut wire = Wire::to(portico.address());
        wire.send(post(path, 3_000_000));
        wire.send("x".repeat(3_000_000));
        assert_eq!(&wire.answer()[..3], status, "{path}");
        assert_eq!(wire.answer(), "", "{path}");
    }

    // Nobody has to keep their side open to be answered.
    let mut wire = Wire::to(portico.address());
    wire.send(format!("GET /.well-known/none HTTP/1.1\r\n{HOST}\r\n"));
    wire.has_nothing_more();
    assert_eq!(&wire.answer()[..3], "404");
}
