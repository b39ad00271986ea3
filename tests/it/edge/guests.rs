//! Those who are too many.

use portico_testkit::{Client, Database, Portico, Scratch, Tenant, Wire};
use serde_json::json;

// sec:N03
#[tokio::test]
async fn thousands_who_only_wait_make_room_for_one_who_asks() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let app = ada.connect(Client::claude()).await;
    // The program is given no more room than the test itself has.
    let most = Wire::most().min(10_000);
    let room = most.to_string();
    let options = ["--log", "info", "--max-connections", &room];
    let portico = Portico::serve_acme(&scratch, db.url(), &options);
    let app = app.before(&portico.gateway(db.url()).await);

    let mut waiting = Vec::new();
    for place in 0..most {
        let mut wire = Wire::to(portico.address());
        if place % 8 == 0 {
            wire.send("GET /.well-known/none HTTP/1.1\r\nHost: gateway.example\r\n\r\n");
        }
        waiting.push(wire);
        // Often enough to stay, among so many.
        if place % (most / 10) == 0 {
            let listed = app.call("list_workspaces", json!({})).await;
            assert!(!listed.is_error(), "{listed}");
        }
    }
    for _ in 0..20 {
        let listed = app.call("list_workspaces", json!({})).await;
        assert!(!listed.is_error(), "{listed}");
    }
    // Whoever came last is still there.
    let last = waiting.last_mut().unwrap();
    last.send("GET /.well-known/none HTTP/1.1\r\nHost: gateway.example\r\n\r\n");
    assert_ne!(last.answer(), "");
}

// sec:R15, sec:N03
#[tokio::test]
async fn a_process_that_may_have_few_files_goes_on() {
    let (db, scratch) = (Database::new().await, Scratch::new());
    Tenant::new(&db).await;
    let portico = Portico::serve_acme_with_files(&scratch, db.url(), 256);
    let ask = || {
        let head = "GET /.well-known/none HTTP/1.1\r\nHost: gateway.example\r\n\r\n";
        Wire::ask(portico.address(), head)[..3].to_owned()
    };

    let waiting: Vec<_> = (0..400).map(|_| Wire::try_to(portico.address())).collect();
    for _ in 0..20 {
        assert_eq!(ask(), "404");
    }
    drop(waiting);
    for _ in 0..20 {
        assert_eq!(ask(), "404");
    }
    assert!(portico.stop().success());
}
