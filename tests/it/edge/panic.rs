//! A mistake of ours, in the middle of an answer.

use axum::Router;
use axum::routing::get;
use portico_server::edge::{self, Edge};
use portico_server::listen::{self, Manner, Patience, Room};
use portico_testkit::{Database, Wire};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

// sec:N10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_costs_its_request_and_nothing_else() {
    let db = Database::new().await;
    let routes = Router::new()
        .route("/mcp/mistaken", get(mistaken))
        .route("/connections", get(mistaken))
        .route("/good", get(async || "good"));
    let around = edge::around(Edge::new(Vec::new(), Vec::new()), db.pool().await, routes);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let manner = Manner { room: Room::of(100), patience: Patience::USUAL };
    let never = std::future::pending;
    #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
    tokio::spawn(listen::serve(vec![listener], around, manner, never(), never()));

    spawn_blocking(move || {
        // One connection, which goes on.
        let mut wire = Wire::to(&address);
        let mut ask = |path: &str| {
            wire.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
            wire.answer()
        };
        let told = ask("/mcp/mistaken");
        let (words, _) = told.split_once("; reference ").unwrap();
        insta::assert_snapshot!(words, @r#"500 {"jsonrpc":"2.0","error":{"code":-32603,"message":"Something went wrong in the gateway"#);
        assert_eq!(ask("/good"), "200 good");
        assert_eq!(&ask("/connections")[..3], "500");
        assert_eq!(ask("/good"), "200 good");
    })
    .await
    .unwrap();
}

async fn mistaken() -> &'static str {
    panic!("a mistake of ours")
}
