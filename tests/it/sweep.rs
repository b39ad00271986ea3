//! What has run out is forgotten, and nothing else is.

use std::time::Duration;

use portico_server::sweep::sweep;
use portico_storage as storage;
use portico_testkit::household::Household;
use portico_testkit::{Client, Database, Tenant, plan};
use serde_json::{Value, json};

const DAY: Duration = Duration::from_hours(24);

struct Scene {
    db: Database,
    acme: Tenant,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        Self { db, acme }
    }

    async fn sweep(&self, passed: Duration) {
        sweep(&self.db.pool_later(passed).await, true).await.unwrap();
    }

    async fn counts(&self) -> String {
        let mut counts = Vec::new();
        for table in [
            "sessions",
            "authorization_requests",
            "authorization_codes",
            "access_tokens",
            "refresh_tokens",
            "clients",
            "call_leases",
            "connections",
            "security_events",
        ] {
            let rows = self.db.rows(&format!("select count(*) as n from {table}")).await;
            counts.push(format!("{table} {}", rows[0]["n"]));
        }
        counts.join(", ")
    }

    async fn sealed(&self) -> Vec<Value> {
        self.db.rows("select repeats from refresh_tokens where sealed_answer is not null").await
    }
}

// pre:O8
#[tokio::test]
async fn an_answer_is_kept_for_its_grace_and_not_longer() {
    let scene = Scene::new().await;
    let ada = scene.acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let answer = claude.refresh().await;
    scene.sweep(Duration::from_secs(118)).await;
    assert_eq!(scene.sealed().await, [json!({ "repeats": 0 })]);
    assert_eq!(claude.refresh().await.body, answer.body);
    scene.sweep(Duration::from_secs(121)).await;
    assert_eq!(scene.sealed().await, Vec::<Value>::new());
    assert!(claude.is_let_in().await);
}

// pre:O5, sec:B12, cli:27
#[tokio::test]
async fn what_ran_out_goes_in_its_time_and_what_people_may_ask_about_stays() {
    let scene = Scene::new().await;
    let ada = scene.acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let idle = Client::cursor().register(&scene.acme.gateway, &scene.acme.resource()).await;
    claude.refresh().await;
    assert!(!claude.call("list_workspaces", json!({})).await.is_error());
    let mut told = Vec::new();
    for days in [0, 3, 29, 32, 61] {
        scene.sweep(days * DAY).await;
        told.push(format!("{days}: {}", scene.counts().await));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    0: sessions 1, authorization_requests 1, authorization_codes 1, access_tokens 2, refresh_tokens 2, clients 2, call_leases 1, connections 1, security_events 1
    3: sessions 0, authorization_requests 0, authorization_codes 0, access_tokens 2, refresh_tokens 2, clients 2, call_leases 0, connections 1, security_events 1
    29: sessions 0, authorization_requests 0, authorization_codes 0, access_tokens 2, refresh_tokens 2, clients 2, call_leases 0, connections 1, security_events 1
    32: sessions 0, authorization_requests 0, authorization_codes 0, access_tokens 0, refresh_tokens 2, clients 1, call_leases 0, connections 1, security_events 1
    61: sessions 0, authorization_requests 0, authorization_codes 0, access_tokens 0, refresh_tokens 0, clients 1, call_leases 0, connections 1, security_events 1
    "#);
    // The one that somebody allowed is known, the other can come again.
    let again = Client::cursor().register(&scene.acme.gateway, &scene.acme.resource()).await;
    assert_ne!(again.id, idle.id);
    let known = Client::claude().register(&scene.acme.gateway, &scene.acme.resource()).await;
    assert_eq!(known.id, claude.registered.id);
}

#[tokio::test]
async fn what_cannot_be_removed_keeps_nothing_else() {
    let scene = Scene::new().await;
    let ada = scene.acme.person("ada").member_of("docs").await;
    ada.connect(Client::claude()).await;
    scene.db.execute("alter table authorization_requests rename column expires_at to lost").await;
    let pool = scene.db.pool_later(61 * DAY).await;
    assert!(sweep(&pool, true).await.is_err());
    insta::assert_snapshot!(scene.counts().await, @"sessions 0, authorization_requests 1, authorization_codes 0, access_tokens 0, refresh_tokens 0, clients 1, call_leases 0, connections 1, security_events 1");
}

#[tokio::test]
async fn what_has_not_run_out_is_not_read_to_find_what_has() {
    let db = Database::new().await;
    let mut conn = db.session().await;
    Household::new(&mut conn, "acme").await;
    for (table, key) in [
        ("connections", "connection_id"),
        ("sessions", "session_hash"),
        ("authorization_requests", "request_id"),
        ("authorization_codes", "code_hash"),
        ("access_tokens", "token_hash"),
        ("refresh_tokens", "token_hash"),
    ] {
        db.execute(&copies(table, key)).await;
    }
    db.execute(
        "insert into clients (tenant_id, digest, redirect_uris, metadata)
         select tenant_id, sha256(n::text::bytea), '{}', '{}'
         from tenants, generate_series(1, 5000) n;
         insert into call_leases
         select tenant_id, connection_id, portico_now(), 1, 1 from connections;
         insert into write_budgets
         select tenant_id, connection_id, portico_now(), 1 from connections;
         analyze",
    )
    .await;
    let mut removed = 0;
    removed += storage::session::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::authorization_request::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::authorization_code::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::access_token::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::refresh_token::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::client::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::call_lease::sweep(&mut conn, 1_000).await.unwrap();
    removed += storage::write_budget::sweep(&mut conn, 1_000).await.unwrap();
    assert_eq!(removed, 0);
    let sweeps = plan::prepared(&mut conn).await.into_iter().filter(|it| it.text.contains("due"));
    let mut looked = Vec::new();
    for sweep in sweeps {
        looked.push(plan::explain(&mut conn, &sweep, &["1000".to_owned()]).await.buffers());
    }
    assert!(looked.len() == 8 && looked.iter().all(|buffers| *buffers < 20), "{looked:?}");
}

/// Five thousand more of a table's one row, each with a key of its own and an hour to go.
fn copies(table: &str, key: &str) -> String {
    let own = if key.ends_with("_hash") {
        "'\\x' || encode(sha256(n::text::bytea), 'hex')"
    } else {
        "gen_random_uuid()"
    };
    format!(
        "insert into {table} select (jsonb_populate_record(it, jsonb_build_object(
             '{key}', {own}, 'expires_at', now() + interval '1 hour'))).*
         from {table} it, generate_series(1, 5000) n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_sweep_at_once_and_a_long_way_in_short_steps() {
    let scene = Scene::new().await;
    scene
        .db
        .execute(
            "insert into clients (tenant_id, digest, redirect_uris, metadata, created_at)
             select tenant_id, sha256(n::text::bytea), '{}', '{}', now() - interval '31 days'
             from tenants, generate_series(1, 3500) n",
        )
        .await;
    let pools = [scene.db.pool().await, scene.db.pool().await];
    let (one, other) = tokio::join!(sweep(&pools[0], true), sweep(&pools[1], true));
    assert_eq!((one.is_ok(), other.is_ok()), (true, true));
    let left = scene.db.rows("select 1 from clients").await;
    assert_eq!(left, Vec::<Value>::new());
}
