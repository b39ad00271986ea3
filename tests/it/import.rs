//! Tokens of an earlier system: taken over by their hashes, good until somebody ends them.

use std::time::Duration;

use http::Request;
use portico_testkit::client::Registered;
use portico_testkit::{
    Client, Connection, Database, Gateway, ORIGIN, Person, Portico, Scratch, Tenant, random,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const TOKEN: &str = "acme_live_9f8e7d6c5b4a";
const ACME: &[&str] = &["--tenant", "acme", "--bound", "acme"];
const HOST: &str = "mcp.acme.example";

struct Scene {
    db: Database,
    scratch: Scratch,
    acme: Tenant,
    ada: Person,
    registered: Registered,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        Self::in_tenant(db, acme).await
    }

    async fn in_tenant(db: Database, acme: Tenant) -> Self {
        let ada = acme.person("ada").member_of("docs").await;
        acme.apply(&with_prefix(&acme.document())).await;
        let registered = Client::claude().register(&acme.gateway, &acme.resource()).await;
        Self { db, scratch: Scratch::new(), acme, ada, registered }
    }

    /// What was said, and the status that it ended with.
    fn import(&self, lines: &[Value], options: &[&str]) -> String {
        let file = self.scratch.path().join("tokens.jsonl");
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(&file, text.join("\n")).unwrap();
        let mut arguments = vec!["connections", "import", file.to_str().unwrap()];
        arguments.extend(["--public-url", ORIGIN]);
        arguments.extend(options);
        Portico::run(&arguments, self.db.url())
    }

    fn holder(&self, token: &str) -> Connection {
        Connection::new(self.acme.gateway.clone(), self.registered.clone(), token.to_owned())
    }
}

fn with_prefix(document: &str) -> String {
    document.replace("[oauth]", "[oauth]\nlegacy_token_prefixes = [\"acme_live_\"]")
}

fn token_line(token: &str) -> Value {
    let hash = Sha256::digest(token);
    let sha256 = random::hex(&hash);
    json!({
        "sha256": sha256, "person": "ada@acme.example", "server": "boards",
        "client": "Claude (from before)", "scopes": ["read"], "created_at": "2024-05-06T07:08:09Z",
    })
}

// pre:O25, pre:O22
#[tokio::test]
async fn a_token_from_before_works_until_its_person_disconnects_it() {
    let scene = Scene::new().await;
    let holder = scene.holder(TOKEN);
    assert!(!holder.is_let_in().await);
    let said = scene.import(&[token_line(TOKEN), token_line("acme_live_other")], ACME);
    insta::assert_snapshot!(said, @r#"
    0: Imported 2; 0 were there already.
    They are good at https://gateway.example/mcp/SERVER, each at its own server, or at its own host.
    "#);
    assert!(holder.is_let_in().await);
    let years = scene.acme.gateway.later(&scene.db, Duration::from_hours(3 * 365 * 24)).await;
    assert!(holder.clone().before(&years).is_let_in().await);
    let written = holder.call("create_board", json!({ "title": "x", "workspace": "docs" })).await;
    assert_eq!(written.0.status, 403, "{written}");
    for stranger in ["acme_live_unknown", "acme_test_9f8e7d6c5b4a", "Acme_live_9f8e7d6c5b4a"] {
        assert!(!scene.holder(stranger).is_let_in().await, "{stranger}");
    }

    // Again: what is there is left as it is.
    scene.db.wait_for_calls(1).await;
    let before = scene.db.dump().await;
    let said = scene.import(&[token_line(TOKEN), token_line("acme_live_other")], ACME);
    insta::assert_snapshot!(said, @r#"
    0: Imported 0; 2 were there already.
    They are good at https://gateway.example/mcp/SERVER, each at its own server, or at its own host.
    "#);
    assert_eq!(scene.db.dump().await, before);

    let rows = scene.db.rows("select connection_id as id, created_at from connections").await;
    let made: Vec<_> = rows.iter().map(|row| row["created_at"].as_str().unwrap()).collect();
    assert_eq!(made, ["2024-05-06T07:08:09+00:00"; 2]);
    let mut browser = scene.ada.browser().await;
    let panel = browser.open(&scene.acme.url("/connections")).await;
    assert_ne!(panel.answer.body.matches("Claude (from before)").count(), 0);
    for row in rows {
        let path = format!("/connections/{}/disconnect", row["id"].as_str().unwrap());
        let answer = browser.send(Request::post(scene.acme.url(&path)), &[]).await;
        assert_eq!(answer.status, 303);
    }
    assert!(!holder.is_let_in().await);
    // Nor does importing it again bring it back.
    scene.import(&[token_line(TOKEN)], ACME);
    assert!(!holder.is_let_in().await);
    let events = scene.db.rows("select event, count(*) as n from security_events group by 1").await;
    assert_eq!(
        events,
        [
            json!({ "event": "imported", "n": 2 }),
            json!({ "event": "disconnected_by_person", "n": 2 })
        ]
    );
}

// pre:O25
#[tokio::test]
async fn one_bad_line_leaves_everything_as_it_was() {
    let scene = Scene::new().await;
    let with = |name: &str, value: &str| {
        let mut changed = token_line("acme_live_other");
        changed[name] = value.into();
        changed
    };
    let before = scene.db.dump().await;
    let said = [
        scene.import(&[token_line(TOKEN), with("server", "sales"), with("sha256", "ff")], ACME),
        scene.import(&[token_line(TOKEN), with("person", "eve@acme.example")], ACME),
        scene.import(&[token_line(TOKEN)], &["--tenant", "globex", "--shared"]),
        scene.import(&[token_line(TOKEN)], &["--tenant", "acme"]),
        scene.import(&[token_line(TOKEN)], &["--tenant", "globex", "--bound", "acme"]),
        Portico::run(
            &[&["connections", "import", "/nowhere", "--public-url", ORIGIN], ACME].concat(),
            scene.db.url(),
        ),
    ];
    insta::assert_snapshot!(said.join("\n"), @r#"
    5: portico: nothing was imported:
      line 2 server is none that the tenant declares
      line 3 sha256 is not 64 hexadecimal digits

    5: portico: nothing was imported:
      line 2 person is nobody of this tenant, or is disabled

    6: portico: there is no tenant globex, or its declaration does not hold

    2: portico: say whose the origin is, as `serve` is told: --bound TENANT where one has it for itself, or --shared where each is below /v/TENANT

    2: portico: the origin is acme's alone, so that nobody else's tokens are good there

    6: portico: /nowhere cannot be read: No such file or directory (os error 2)
    "#);
    assert_eq!(scene.db.dump().await, before);
    assert!(!scene.holder(TOKEN).is_let_in().await);
}

// pre:O25, sec:K01
#[tokio::test]
async fn a_token_from_before_is_one_tenants() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let acme = Tenant::named(gateway.clone(), "acme").await;
    let globex = Tenant::named(gateway, "globex").await;
    for tenant in [&acme, &globex] {
        tenant.apply(&with_prefix(&tenant.document())).await;
        tenant.person("ada").member_of("docs").await;
    }
    let registered = Client::claude().register(&globex.gateway, &globex.resource()).await;
    let there = Connection::new(globex.gateway.clone(), registered, TOKEN.to_owned());
    let scene = Scene::in_tenant(db, acme).await;
    let mut foreign = token_line(TOKEN);
    foreign["person"] = "ada@globex.example".into();
    let said = [
        scene.import(&[token_line(TOKEN)], &["--tenant", "acme", "--shared"]),
        scene.import(&[foreign], &["--tenant", "globex", "--shared"]),
    ];
    insta::assert_snapshot!(said.join("\n"), @r#"
    0: Imported 1; 0 were there already.
    They are good at https://gateway.example/v/acme/mcp/SERVER, each at its own server, or at its own host.

    5: portico: nothing was imported:
      line 1 has a token that another tenant has
    "#);
    assert!(scene.holder(TOKEN).is_let_in().await);
    assert!(!there.is_let_in().await);
}

// pre:O25
#[tokio::test]
async fn an_instance_that_is_behind_knows_an_imported_token_at_once_and_forgets_it_at_once() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let behind = acme.gateway.with_pool(db.pool().await).await;
    let without = acme.document();
    let scene = Scene::in_tenant(db, acme).await;
    scene.import(&[token_line(TOKEN)], ACME);
    let holder = scene.holder(TOKEN).before(&behind);
    assert!(holder.is_let_in().await);
    scene.acme.apply(&without).await;
    assert!(!holder.is_let_in().await);
    assert!(!scene.holder(TOKEN).is_let_in().await);
}

// pre:O25, pre:O21
#[tokio::test]
async fn a_token_from_before_is_good_at_a_host_that_has_just_moved() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let globex = Tenant::named(gateway.clone(), "globex").await;
    let acme = Tenant::named(gateway, "acme").await;
    let root = globex.add_host(HOST).await;
    let bob = globex.person("bob").member_of("docs").await;
    let behind = globex.gateway.with_pool(db.pool().await).await;
    let theirs = bob.connect_to(Client::claude(), &root).await.before(&behind);
    assert!(theirs.is_let_in().await);

    globex.apply(&globex.document()).await;
    acme.person("ada").member_of("docs").await;
    acme.apply(&with_prefix(&acme.document_with_host(HOST))).await;
    acme.prove(HOST).await;
    let scene = Scene {
        scratch: Scratch::new(),
        registered: theirs.registered.clone(),
        acme,
        db,
        ada: bob,
    };
    let mut line = token_line(TOKEN);
    line["host"] = HOST.into();
    scene.import(&[line], &["--tenant", "acme", "--shared"]);
    assert!(scene.holder(TOKEN).before(&behind).is_let_in().await);
    assert!(!theirs.is_let_in().await);
}

// pre:O25, pre:O4
#[tokio::test]
async fn a_token_from_before_is_good_at_one_address() {
    let scene = Scene::new().await;
    let at_host = |host: &str| {
        let mut line = token_line(TOKEN);
        line["host"] = host.into();
        line
    };
    scene.acme.apply(&with_prefix(&scene.acme.document_with_host(HOST))).await;
    let before = scene.db.dump().await;
    let refused = [at_host("other.example"), at_host(HOST)].map(|line| scene.import(&[line], ACME));
    assert_eq!(scene.db.dump().await, before);
    scene.acme.prove(HOST).await;
    let said = [scene.import(&[at_host(HOST)], ACME), scene.import(&[token_line(TOKEN)], ACME)];
    insta::assert_snapshot!([refused, said].concat().join("\n"), @r#"
    5: portico: nothing was imported:
      line 1 host is none that the tenant declares for that server

    5: portico: nothing was imported:
      line 1 its host is not proved, or the declaration has just changed

    0: Imported 1; 0 were there already.
    They are good at https://gateway.example/mcp/SERVER, each at its own server, or at its own host.

    5: portico: nothing was imported:
      line 1 has a token that is there already, for https://mcp.acme.example
    "#);
    let mut holder = scene.holder(TOKEN);
    assert!(!holder.is_let_in().await);
    holder.registered.resource = format!("https://{HOST}");
    assert!(holder.is_let_in().await);
    scene.acme.apply(&with_prefix(&scene.acme.document())).await;
    let refused = holder.ask("ping", json!({})).await;
    assert_eq!(refused.status, 421, "{}", refused.body);
    let ended = scene.db.rows("select end_reason from connections").await;
    assert_eq!(ended, [json!({ "end_reason": "server_removed" })]);
}

// pre:O25, sec:H01, sec:H04
#[tokio::test]
async fn whoever_holds_a_token_from_before_may_give_it_back() {
    let scene = Scene::new().await;
    scene.import(&[token_line(TOKEN), token_line("acme_live_other")], ACME);
    let gateway = &scene.acme.gateway;
    let known_once = "an id of the system before";
    let mut said = Vec::new();
    for fields in [
        vec![("token", "acme_live_unknown")],
        vec![("token", TOKEN)],
        vec![("token", TOKEN)],
        vec![("token", "acme_live_other"), ("client_id", known_once), ("client_secret", "x")],
        vec![("token", "acme_test_1")],
    ] {
        said.push(gateway.post_form("/oauth/revoke", &fields).await.brief().trim_end().to_owned());
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    200
    200
    200
    200
    400 {"error":"invalid_request","error_description":"missing field `client_id`"}
    "#);
    for token in [TOKEN, "acme_live_other"] {
        assert!(!scene.holder(token).is_let_in().await, "{token}");
    }
    let ended = scene.db.rows("select end_reason, count(*) as n from connections group by 1").await;
    assert_eq!(ended, [json!({ "end_reason": "client", "n": 2 })]);
    let told = "select count(*) as n from security_events where event = 'disconnected_by_client'";
    assert_eq!(scene.db.rows(told).await, [json!({ "n": 2 })]);
}
