//! A database that is gone, or is there and says nothing.

use std::time::{Duration, Instant};

use portico_storage as storage;
use portico_testkit::{Client, Connection, Database, Gateway, Portico, Postgres, Scratch, Tenant};
use serde_json::{Value, json};

/// What the product promises.
const AT_MOST: Duration = Duration::from_millis(2_500);
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

struct World {
    portico: Portico,
    gateway: Gateway,
    app: Connection,
    issuer: String,
    _scratch: Scratch,
}

/// The real program, on a Postgres that a test may do anything to.
async fn world(db: &Database) -> World {
    let scratch = Scratch::new();
    let acme = Tenant::new(db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let app = ada.connect(Client::claude()).await;
    let portico = Portico::serve_acme(&scratch, db.url(), &[]);
    let gateway = portico.gateway(db.url()).await;
    let app = app.before(&gateway);
    assert_eq!(call(&app).await, 200);
    World { portico, gateway, app, issuer: acme.url(""), _scratch: scratch }
}

async fn call(app: &Connection) -> u16 {
    app.call("list_workspaces", json!({})).await.0.status.as_u16()
}

impl World {
    /// Everything says that it cannot be answered now, in its own words, and in time; but for
    /// what helps clients to find their way.
    async fn says_when_to_come_back(&self) {
        let (app, gateway) = (&self.app, &self.gateway);
        let endpoint = |path: &str| format!("{}{path}", self.issuer);
        let began_at = Instant::now();
        let called = app.call("list_workspaces", json!({})).await.0;
        assert!(began_at.elapsed() < AT_MOST, "{:?}", began_at.elapsed());
        assert_eq!(called.header("retry-after"), Some("2"));
        insta::assert_snapshot!(called.brief(), @r#"503 {"jsonrpc":"2.0","error":{"code":-32603,"message":"The gateway cannot answer at the moment; try again in a few seconds"}}"#);
        let form = [("grant_type", "authorization_code"), ("client_id", &*app.registered.id)];
        let form = [&form[..], &[("code", "a"), ("code_verifier", "v")]].concat();
        let token = gateway.post_form(&endpoint("/oauth/token"), &form).await;
        insta::assert_snapshot!(token.brief(), @r#"503 {"error":"temporarily_unavailable","error_description":"come back in a few seconds"}"#);
        let page = gateway.fetch(&app.registered.ask().url()).await;
        assert_eq!(page.status, 503);
        assert!(page.header("content-type").unwrap().starts_with("text/html"));
        for document in ["oauth-authorization-server", "oauth-protected-resource/mcp/boards"] {
            let began_at = Instant::now();
            let found = gateway.fetch(&endpoint(&format!("/.well-known/{document}"))).await;
            assert_eq!(found.status, 200, "{}", found.body);
            assert!(began_at.elapsed() < AT_MOST, "{:?}", began_at.elapsed());
        }
    }

    /// Until a call is answered again. Nobody is ever told to sign in.
    async fn comes_back(&self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match call(&self.app).await {
                200 => return,
                503 => assert!(Instant::now() < deadline, "{}", self.portico.log()),
                other => panic!("{other}"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

// sec:R04, sec:I10, cli:17, cli:19
#[tokio::test]
async fn a_database_that_says_nothing_is_known_in_time_and_taken_back_when_it_speaks() {
    let postgres = Postgres::new();
    let db = postgres.database().await;
    let world = world(&db).await;

    let frozen = postgres.freeze();
    // Those who were already waiting, and more than there are connections.
    let began_at = Instant::now();
    let waiting = futures_util::future::join_all((0..50).map(|_| call(&world.app))).await;
    assert!(began_at.elapsed() < AT_MOST, "{:?}", began_at.elapsed());
    assert_eq!(waiting, [503; 50]);
    world.says_when_to_come_back().await;

    drop(frozen);
    world.comes_back().await;
    // None of the connections was spoilt.
    let answers = futures_util::future::join_all((0..50).map(|_| call(&world.app))).await;
    assert_eq!(answers, [200; 50]);
}

// sec:R02
#[tokio::test]
async fn a_database_that_was_killed_is_taken_back_when_it_runs_again() {
    let mut postgres = Postgres::new();
    let db = postgres.database().await;
    let world = world(&db).await;

    postgres.kill();
    world.says_when_to_come_back().await;
    postgres.restart();
    world.comes_back().await;
    let answers = futures_util::future::join_all((0..50).map(|_| call(&world.app))).await;
    assert_eq!(answers, [200; 50]);
}

// Between two looks of whoever watches it.
// sec:R02
#[tokio::test]
async fn a_database_that_was_away_for_a_moment_costs_nobody_an_answer() {
    let mut postgres = Postgres::new();
    let db = postgres.database().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").member_of("shop").await;
    let app = ada.connect(Client::claude()).await;
    let mut browser = ada.browser().await;
    let tool = async |name: &str, arguments: Value| app.call(name, arguments).await.0.status;
    let named = json!({"workspace": "Docs"});
    for round in 0..3 {
        // So that several connections rest when it ends.
        let calls = (0..8).map(|_| tool("list_boards", named.clone()));
        for status in futures_util::future::join_all(calls).await {
            assert_eq!(status, 200);
        }
        postgres.kill();
        postgres.restart();
        assert_eq!(tool("list_boards", named.clone()).await, 200);
        assert_eq!(tool("list_workspaces", json!({})).await, 200);
        let board = json!({"workspace": "Docs", "title": format!("Round {round}")});
        assert_eq!(tool("create_board", board).await, 200);
        assert_eq!(browser.open(&acme.url("/connections")).await.answer.status, 200);
    }
}

// sec:R06
#[tokio::test]
async fn a_connection_that_is_killed_costs_nobody_their_token() {
    let postgres = Postgres::new();
    let db = postgres.database().await;
    let world = world(&db).await;

    for _ in 0..2 {
        // Postgres ends every connection when one of its processes dies so.
        let backends = "select pid from pg_stat_activity
            where application_name = 'portico' and backend_type = 'client backend'";
        let backends: Vec<Value> = db.rows(backends).await;
        // The first that has not ended meanwhile.
        let kill = |it: &Value| postgres.kill_backend(it["pid"].as_u64().unwrap());
        assert!(backends.iter().any(kill));
        for status in futures_util::future::join_all((0..20).map(|_| call(&world.app))).await {
            assert!([200, 503].contains(&status), "{status}");
        }
        world.comes_back().await;
    }
}

// sec:R07
#[tokio::test]
async fn whoever_finds_every_connection_taken_is_told_in_time() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let app = ada.connect(Client::claude()).await;
    let gateway = acme.gateway.with_pool(db.pool_of(1).await).await;
    let app = app.before(&gateway);
    let held = storage::acquire(gateway.pool()).await.unwrap();

    let began_at = Instant::now();
    assert_eq!(call(&app).await, 503);
    assert!(began_at.elapsed() < AT_MOST, "{:?}", began_at.elapsed());
    drop(held);
    assert_eq!(call(&app).await, 200);
}
