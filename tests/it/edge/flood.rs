//! Those who ask too often.

use portico_testkit::{Client, Database, Gateway, Portico, Scratch, Tenant, Wire};
use serde_json::json;

const BEHIND_PROXY: [&str; 4] = ["--trusted-proxies", "127.0.0.1/32", "--log", "debug"];

/// What came of it how often, the first words of each answer.
fn flood(
    portico: &Portico,
    count: usize,
    request: impl Fn(usize) -> String,
) -> Vec<(String, usize)> {
    let mut seen: Vec<(String, usize)> = Vec::new();
    let mut wire = Wire::to(portico.address());
    for number in 0..count {
        wire.send(request(number));
        let mut answer = wire.answer();
        if answer.starts_with("201") || answer.contains("<title>") {
            answer.truncate(3);
        }
        match seen.iter_mut().find(|(told, _)| *told == answer) {
            Some((_, count)) => *count += 1,
            None => seen.push((answer, 1)),
        }
    }
    seen
}

fn post(path: &str, kind: &str, lines: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: gateway.example\r\nContent-Type: {kind}\r\n{lines}Content-Length: {length}\r\n\r\n{body}"
    )
}

fn token(number: usize, from: &str) -> String {
    let verifier = "v".repeat(43);
    let body = format!(
        "grant_type=authorization_code&client_id=a&code=c{number}&code_verifier={verifier}"
    );
    post(
        "/oauth/token",
        "application/x-www-form-urlencoded",
        &format!("X-Forwarded-For: {from}\r\n"),
        &body,
    )
}

fn register(number: usize, from: &str) -> String {
    let body = format!(r#"{{"redirect_uris":["https://client.test/{number}"]}}"#);
    post("/oauth/register", "application/json", &format!("X-Forwarded-For: {from}\r\n"), &body)
}

async fn acme(db: &Database) -> Tenant {
    Tenant::new(db).await
}

const WAIT: &str = r#"429 {"error":"temporarily_unavailable","error_description":"too many requests came from this address; wait a moment"}"#;

fn count(seen: &[(String, usize)], told: &str) -> usize {
    seen.iter().find(|(it, _)| it.starts_with(told)).map_or(0, |(_, count)| *count)
}

// sec:A09, sec:F09, sec:N12, sec:M-7
#[tokio::test]
async fn whoever_guesses_must_wait_whatever_addresses_they_make_up() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    acme(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &["--log", "info"]);
    let seen = flood(&portico, 1_000, |number| {
        token(number, &format!("8.8.{}.{}", number / 250, number % 250))
    });
    assert!(count(&seen, "401") >= 600, "{seen:?}");
    assert!(count(&seen, WAIT) >= 100, "{seen:?}");
    assert_eq!(seen.len(), 2, "{seen:?}");

    // Behind a proxy of ours, what it noted itself counts, and not what stood there before.
    let portico = Portico::serve_acme(&scratch, db.url(), &BEHIND_PROXY);
    let seen = flood(&portico, 1_000, |number| {
        token(number, &format!("8.8.{}.{}, 9.9.9.9", number / 250, number % 250))
    });
    assert!(count(&seen, WAIT) >= 100, "{seen:?}");
    // That is who the log is about, too.
    assert_eq!(portico.log().matches("client=8.8.").count(), 0);
    assert!(portico.log().matches("client=9.9.9.9").count() > 100);
    let neighbour = flood(&portico, 1, |number| token(number, "9.9.9.10"));
    assert_eq!(count(&neighbour, "401"), 1, "{neighbour:?}");
    // One house has many addresses.
    flood(&portico, 800, |number| token(number, &format!("2001:db8::{number:x}")));
    let seen = flood(&portico, 100, |number| token(number, &format!("2001:db8::1:{number:x}")));
    assert!(count(&seen, WAIT) >= 30, "{seen:?}");
}

// sec:B12, cli:28
#[tokio::test]
async fn a_day_of_registrations_passes_and_a_flood_of_them_does_not() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    acme(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &BEHIND_PROXY);
    let seen = flood(&portico, 200, |number| register(number, "8.8.8.8"));
    assert_eq!(count(&seen, "201"), 200, "{seen:?}");
    let seen = flood(&portico, 600, |number| register(1_000 + number, "8.8.8.8"));
    assert!(count(&seen, WAIT) >= 100, "{seen:?}");
    assert_eq!(seen.len(), 2, "{seen:?}");
    // Whoever sends many people from one address may send more.
    let seen = flood(&portico, 700, |number| register(2_000 + number, "160.79.104.10"));
    assert_eq!(count(&seen, "201"), 700, "{seen:?}");
}

// sec:N12
#[tokio::test]
async fn every_address_says_in_its_own_words_when_to_come_back() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    acme(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &["--log", "info"]);
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: gateway.example\r\n\r\n");
    for (path, told) in [
        ("/.well-known/none", WAIT),
        ("/connections", "429"),
        ("/oauth/authorize", "429"),
        (
            "/mcp/boards",
            r#"429 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Too many requests came from this address; wait a moment"}}"#,
        ),
    ] {
        let ask = get(path);
        // More may ask the slower we are; but never for long.
        let has_to_wait = (0..40).any(|_| {
            let seen = flood(&portico, 500, |_| ask.clone());
            count(&seen, told) > 0
        });
        assert!(has_to_wait, "{path}");
    }
}

// sec:N12
#[tokio::test]
async fn whoever_is_let_in_is_not_counted_by_address() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    let acme = acme(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let app = ada.connect(Client::claude()).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &["--log", "info"]);
    let gateway: Gateway = portico.gateway(db.url()).await;
    let app = app.before(&gateway);
    for _ in 0..2_500 {
        let answer = app.ask("ping", json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}
