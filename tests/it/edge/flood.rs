//! Those who ask too often.

use std::time::{Duration, Instant};

use portico_testkit::{Client, Database, Gateway, Portico, Scratch, Tenant, Wire};
use serde_json::json;

const BEHIND_PROXY: [&str; 4] = ["--trusted-proxies", "127.0.0.1/32", "--log", "debug"];

type Seen = Vec<(String, usize)>;

/// One request, and the first words of its answer.
fn hear(wire: &mut Wire, request: String) -> String {
    wire.send(request);
    let mut answer = wire.answer();
    if answer.starts_with("201") || answer.contains("<title>") {
        answer.truncate(3);
    }
    answer
}

fn note(seen: &mut Seen, answer: String) {
    match seen.iter_mut().find(|(told, _)| *told == answer) {
        Some((_, count)) => *count += 1,
        None => seen.push((answer, 1)),
    }
}

/// What came of it how often.
fn flood(portico: &Portico, count: usize, request: impl Fn(usize) -> String) -> Seen {
    let mut wire = Wire::to(portico.address());
    let mut seen = Seen::new();
    for number in 0..count {
        note(&mut seen, hear(&mut wire, request(number)));
    }
    seen
}

/// So many at once, and one more each time that so long has passed.
#[derive(Clone, Copy)]
struct Ceiling {
    burst: u32,
    every: Duration,
}

impl Ceiling {
    /// Asks until somebody has to wait, however fast or slow that is: what came before is as much
    /// as the ceiling allows in the time that it took. Of what is refused anyway, the one that is
    /// too many is answered still, and only those behind it wait.
    fn is_hit(self, portico: &Portico, request: impl Fn(usize) -> String) -> Seen {
        let mut wire = Wire::to(portico.address());
        let (mut seen, began_at) = (Seen::new(), Instant::now());
        for passed in 0_u32.. {
            let answer = hear(&mut wire, request(usize::try_from(passed).unwrap()));
            if answer.starts_with("429") {
                assert!(passed >= self.burst, "{passed}: {seen:?}");
                note(&mut seen, answer);
                break;
            }
            note(&mut seen, answer);
            let more = began_at.elapsed().as_millis() / self.every.as_millis();
            let allowed = u128::from(self.burst) + 2 * (more + 1);
            assert!(u128::from(passed) <= allowed, "{passed}: {seen:?}");
        }
        seen
    }
}

const EXCHANGES: Ceiling = Ceiling { burst: 600, every: Duration::from_millis(100) };
const REGISTRATIONS: Ceiling = Ceiling { burst: 500, every: Duration::from_secs(1) };
const AUTHORIZATIONS: Ceiling = Ceiling { burst: 2_000, every: Duration::from_millis(50) };
const OTHERS: Ceiling = Ceiling { burst: 2_000, every: Duration::from_millis(10) };

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

fn count(seen: &Seen, told: &str) -> usize {
    seen.iter().find(|(it, _)| it.starts_with(told)).map_or(0, |(_, count)| *count)
}

fn total(seen: &Seen) -> usize {
    seen.iter().map(|(_, count)| count).sum()
}

// sec:A09, sec:F09, sec:N12, sec:M-7
#[tokio::test]
async fn whoever_guesses_must_wait_whatever_addresses_they_make_up() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    acme(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &["--log", "info"]);
    let made_up = |number: usize| format!("8.8.{}.{}", number / 250, number % 250);
    let seen = EXCHANGES.is_hit(&portico, |number| token(number, &made_up(number)));
    assert_eq!(count(&seen, WAIT), 1, "{seen:?}");
    assert_eq!(count(&seen, "401"), total(&seen) - 1, "{seen:?}");

    // Behind a proxy of ours, what it noted itself counts, and not what stood there before.
    let portico = Portico::serve_acme(&scratch, db.url(), &BEHIND_PROXY);
    EXCHANGES.is_hit(&portico, |number| token(number, &format!("{}, 9.9.9.9", made_up(number))));
    // That is who the log is about, too.
    assert_eq!(portico.log().matches("client=8.8.").count(), 0);
    assert!(portico.log().matches("client=9.9.9.9").count() > 100);
    let neighbour = flood(&portico, 1, |number| token(number, "9.9.9.10"));
    assert_eq!(count(&neighbour, "401"), 1, "{neighbour:?}");
    // One house has many addresses.
    EXCHANGES.is_hit(&portico, |number| token(number, &format!("2001:db8::{number:x}:1")));
}

// sec:B12, cli:28
#[tokio::test]
async fn a_day_of_registrations_passes_and_a_flood_of_them_does_not() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    acme(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &BEHIND_PROXY);
    let seen = REGISTRATIONS.is_hit(&portico, |number| register(number, "8.8.8.8"));
    assert_eq!(count(&seen, WAIT), 1, "{seen:?}");
    assert_eq!(count(&seen, "201"), total(&seen) - 1, "{seen:?}");
    // Whoever sends many people from one address may send more.
    let seen = flood(&portico, 700, |number| register(2_000 + number, "160.79.104.10"));
    assert_eq!(count(&seen, "201"), 700, "{seen:?}");
}

// sec:N12
#[tokio::test]
async fn every_address_says_in_its_own_words_when_to_come_back() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    acme(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &BEHIND_PROXY);
    for (path, ceiling, told) in [
        ("/.well-known/none", OTHERS, WAIT),
        ("/connections", OTHERS, "429"),
        ("/oauth/authorize", AUTHORIZATIONS, "429"),
        (
            "/mcp/boards",
            OTHERS,
            r#"429 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Too many requests came from this address; wait a moment"}}"#,
        ),
    ] {
        // Everybody else's address is another one.
        let from = format!("8.8.8.{}", path.len());
        let get = |_| {
            format!(
                "GET {path} HTTP/1.1\r\nHost: gateway.example\r\nX-Forwarded-For: {from}\r\n\r\n"
            )
        };
        let seen = ceiling.is_hit(&portico, get);
        assert_eq!(count(&seen, told), 1, "{path}: {seen:?}");
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
    // Nor does it wait for those who flood from beside it.
    OTHERS.is_hit(&portico, |_| post("/mcp/boards", "application/json", "", "{}"));
    let answer = app.ask("ping", json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}
