//! Those who take their time.

use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use portico_server::listen::{self, Manner, Patience, Room};
use portico_testkit::{Database, Portico, Scratch, Tenant, Wire};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

const SLOW: usize = 200;
const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_mins(1);

// sec:N01, sec:M-5
#[tokio::test]
async fn a_head_that_does_not_end_is_hung_up_on_while_others_are_answered() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let mut slow: Vec<Wire> = (0..SLOW).map(|_| Wire::to(portico.address())).collect();

    for second in 0..5 {
        for (place, wire) in slow.iter_mut().enumerate() {
            // Some have said nothing at all yet.
            if place % 4 > 0 {
                wire.send(["GET / HTTP", "/1.1\r\n", "Host: a", "\r\n", "X: y"][second]);
            }
        }
        let head = "GET /.well-known/none HTTP/1.1\r\nHost: gateway.example\r\n\r\n";
        assert_eq!(&Wire::ask(portico.address(), head)[..3], "404");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    for wire in slow {
        let after = wire.closed_after();
        assert!((9..15).contains(&after.as_secs()), "{after:?}");
    }
}

/// A few words, many, or what was sent, for those who are given so long.
async fn served(patience: Patience) -> String {
    let many = || async { "many ".repeat(4_000_000) };
    let router = Router::new()
        .route("/few", get(|| async { "few" }))
        .route("/many", get(many))
        .route("/sent", post(|body: String| async { body }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let manner = Manner { room: Room::of(100), patience };
    let never = std::future::pending();
    let served = listen::serve(vec![listener], router, manner, never, std::future::pending());
    #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
    tokio::spawn(served);
    address
}

const PATIENT: Patience = Patience { head: LONG, idle: LONG, write: LONG, leave: LONG };

fn get_text(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")
}

// sec:N03
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_rests_too_long_ends() {
    let address = served(Patience { idle: SHORT, ..PATIENT }).await;
    spawn_blocking(move || {
        let mut wire = Wire::to(&address);
        wire.send(get_text("/few"));
        assert_eq!(wire.answer(), "200 few");
        assert!(wire.closed_after() < LONG);
    })
    .await
    .unwrap();
}

// sec:N01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_head_has_its_own_time_and_a_rest_between_two_does_not_count() {
    let address = served(Patience { head: SHORT, ..PATIENT }).await;
    spawn_blocking(move || {
        let mut wire = Wire::to(&address);
        for _ in 0..3 {
            wire.send(get_text("/few"));
            assert_eq!(wire.answer(), "200 few");
            std::thread::sleep(SHORT * 2);
        }
        wire.send("GET /few HT");
        assert_eq!(wire.answer(), "");
        assert!(wire.closed_after() < LONG);
        // A body is not a head.
        let mut wire = Wire::to(&address);
        wire.send("POST /sent HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
        std::thread::sleep(SHORT * 2);
        wire.send("b");
        assert_eq!(wire.answer(), "200 ab");
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_take_the_answer_does_not_keep_it_waiting() {
    let address = served(Patience { write: SHORT, ..PATIENT }).await;
    spawn_blocking(move || {
        let mut wire = Wire::to(&address);
        wire.send(get_text("/many"));
        std::thread::sleep(SHORT * 5);
        // What the system held of it, and no more.
        assert!(wire.answer().len() < 20_000_000);
    })
    .await
    .unwrap();
}
