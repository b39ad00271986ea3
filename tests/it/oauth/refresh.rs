//! Refreshing: a connection goes on without its person, an answer may get lost, and a token that
//! two hold ends it.

use std::time::Duration;

use insta::assert_snapshot;
use portico_model::TenantState;
use portico_testkit::{Answer, Client, Connection};
use serde_json::{Value, json};

use super::{Scene, changed, until_revoked};

const DAY: Duration = Duration::from_hours(24);

impl Scene {
    /// Another app of ada's, connected.
    async fn connected(&mut self, client: Client) -> Connection {
        let (ask, code) = self.allowed(client).await;
        let answer = ask.exchange(&self.acme.gateway, &code).await;
        Connection::of_tokens(self.acme.gateway.clone(), ask.registered, &answer)
    }

    async fn events(&self) -> Vec<Value> {
        let rows = self.db.rows("select event from security_events order by happened_at").await;
        rows.into_iter().map(|mut row| row["event"].take()).collect()
    }

    async fn end_reasons(&self) -> Vec<Value> {
        let rows = self.db.rows("select end_reason from connections order by created_at").await;
        rows.into_iter().map(|mut row| row["end_reason"].take()).collect()
    }

    /// The app, so much later.
    async fn later(&self, connection: &Connection, passed: Duration) -> Connection {
        connection.clone().before(&self.acme.gateway.later(&self.db, passed).await)
    }
}

/// The app after it has stored what it was answered.
fn renewed(connection: &Connection, answer: &Answer) -> Connection {
    Connection::of_tokens(connection.gateway.clone(), connection.registered.clone(), answer)
}

// sec:F18, sec:F19, sec:G01, cli:55, cli:56, cli:62
#[tokio::test]
async fn a_connection_goes_on_with_new_tokens_of_the_same_scope() {
    let mut scene = Scene::new().await;
    let first = scene.connected(Client::claude().asking_for("read")).await;
    let mut claude = first.clone();
    let resource = scene.acme.resource();
    let slashed = format!("{resource}/");
    for (name, value) in [
        ("resource", Some(&*resource)),
        ("resource", Some(&*slashed)),
        ("resource", None),
        ("scope", None),
        ("scope", Some("read write delete offline_access")),
        ("client_secret", Some("")),
    ] {
        let endpoint = &claude.registered.endpoints.token;
        let form = claude.refresh_form();
        let answer = claude.gateway.post_form(endpoint, &changed(&form, name, value)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("cache-control")),
            (200, Some("no-store"))
        );
        insta::allow_duplicates! {
            insta::assert_json_snapshot!(answer.json(), { ".access_token" => "[token]", ".refresh_token" => "[token]" }, @r#"
            {
              "access_token": "[token]",
              "expires_in": 28800,
              "refresh_token": "[token]",
              "scope": "read",
              "token_type": "Bearer"
            }
            "#);
        }
        let next = renewed(&claude, &answer);
        assert_ne!(next.token, claude.token);
        assert_ne!(next.refresh_token, claude.refresh_token);
        assert!(next.is_let_in().await);
        claude = next;
    }
    // Calls may be under way with it.
    assert!(first.is_let_in().await);
    assert_eq!(scene.count("connections").await, 1);
    assert_eq!(scene.events().await, ["connected"]);
}

// sec:G14, cli:59, cli:60
#[tokio::test]
async fn a_mistake_costs_a_refresh_token_nothing() {
    let mut scene = Scene::new().await;
    let claude = scene.connected(Client::claude()).await;
    let other = scene.ask(Client::chatgpt()).await.registered.id;
    let unknown = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let form = claude.refresh_form();
    let endpoint = &claude.registered.endpoints.token;
    let before = scene.db.dump().await;
    let mut refusals = Vec::new();
    for (name, value) in [
        ("refresh_token", None),
        ("refresh_token", Some("garbage")),
        ("refresh_token", Some("\0")),
        ("refresh_token", Some(&*claude.token)),
        ("client_id", None),
        ("client_id", Some(unknown)),
        ("client_id", Some(&other)),
        ("client_secret", Some("x")),
        ("resource", Some("https://gateway.example/mcp/other")),
        ("resource", Some("https://gateway.example/mcp/boards2")),
    ] {
        let answer = scene.acme.gateway.post_form(endpoint, &changed(&form, name, value)).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let value = value.map(|it| it.replace(&other, "chatgpt").replace(&claude.token, "access"));
        refusals.push(format!("{name}={value:?}: {}", answer.brief()));
    }
    assert_snapshot!(refusals.join("\n"), @r#"
    refresh_token=None: 400 {"error":"invalid_request","error_description":"missing field `refresh_token`"}
    refresh_token=Some("garbage"): 400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}
    refresh_token=Some("\0"): 400 {"error":"invalid_request","error_description":"a parameter holds a control character"}
    refresh_token=Some("access"): 400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}
    client_id=None: 400 {"error":"invalid_request","error_description":"missing field `client_id`"}
    client_id=Some("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"): 401 {"error":"invalid_client","error_description":"the client is not registered here"}
    client_id=Some("chatgpt"): 400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}
    client_secret=Some("x"): 401 {"error":"invalid_client","error_description":"the client has no secret and must not send one"}
    resource=Some("https://gateway.example/mcp/other"): 400 {"error":"invalid_target","error_description":"resource is not the one of the connection"}
    resource=Some("https://gateway.example/mcp/boards2"): 400 {"error":"invalid_target","error_description":"resource is not the one of the connection"}
    "#);
    assert_eq!(scene.db.dump().await, before);
    assert_eq!(claude.refresh().await.status, 200);
}

// sec:G04, sec:G05, cli:57, cli:97
#[tokio::test]
async fn a_lost_answer_is_given_again_byte_for_byte_and_after_the_grace_it_is_a_replay() {
    let mut scene = Scene::new().await;
    let claude = scene.connected(Client::claude()).await;
    let twin = scene.connected(Client::claude()).await;
    let answer = claude.refresh().await;
    let next = renewed(&claude, &answer);

    let again = scene.later(&claude, Duration::from_mins(1)).await.refresh().await;
    assert_eq!(again.body, answer.body);
    assert_eq!((again.status, again.headers), (answer.status, answer.headers));
    // Also when the successor was used meanwhile.
    let successor = renewed(&next, &next.refresh().await);
    let again = scene.later(&claude, Duration::from_secs(119)).await.refresh().await;
    assert_eq!(again.body, answer.body);
    assert!(successor.is_let_in().await);

    let late = scene.later(&claude, Duration::from_secs(121)).await.refresh().await;
    assert_snapshot!(late.brief(), @r#"400 {"error":"invalid_grant","error_description":"the refresh token was used before; its connection is ended"}"#);
    for ended in [&claude, &next, &successor] {
        assert!(!ended.is_let_in().await);
        assert_eq!(ended.refresh().await.json()["error"], "invalid_grant");
    }
    assert!(twin.is_let_in().await, "another connection of the same client");
    assert_eq!(scene.end_reasons().await, [json!("refresh_replayed"), Value::Null]);
    let told = ["connected", "connected", "refresh_retried", "refresh_retried", "refresh_replayed"];
    assert_eq!(scene.events().await, told);
}

// sec:G05
#[tokio::test]
async fn a_token_that_is_asked_for_an_eleventh_time_in_its_grace_is_a_replay() {
    let mut scene = Scene::new().await;
    let claude = scene.connected(Client::claude()).await;
    let answer = claude.refresh().await;
    for repetition in 1..=10 {
        assert_eq!(claude.refresh().await.body, answer.body, "{repetition}");
    }
    assert!(claude.is_let_in().await);
    assert_eq!(claude.refresh().await.json()["error"], "invalid_grant");
    assert!(!claude.is_let_in().await);
    assert_eq!(scene.end_reasons().await, ["refresh_replayed"]);
}

// sec:G09
#[tokio::test]
async fn a_connection_ends_when_it_rested_too_long_and_in_any_case_after_half_a_year() {
    let mut scene = Scene::new().await;
    let rested = scene.connected(Client::claude()).await;
    assert_eq!(scene.later(&rested, 31 * DAY).await.refresh().await.status, 400);
    assert_eq!(scene.later(&rested, 29 * DAY).await.refresh().await.status, 200);

    let mut busy = scene.connected(Client::chatgpt()).await;
    let mut statuses = Vec::new();
    for days in [25, 50, 75, 100, 125, 150, 175, 179] {
        let answer = scene.later(&busy, days * DAY).await.refresh().await;
        statuses.push(answer.status.as_u16());
        busy = renewed(&busy, &answer);
    }
    assert_eq!(statuses, [200; 8]);
    let ended = scene.later(&busy, 181 * DAY).await;
    assert_snapshot!(ended.refresh().await.brief(), @r#"400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}"#);
    assert!(!ended.is_let_in().await);
}

// sec:E22, sec:G14, cli:59
#[tokio::test]
async fn what_has_ended_gives_no_tokens_and_says_that_signing_in_is_the_cure() {
    let mut scene = Scene::new().await;
    let mut refusals = Vec::new();
    let revoked = scene.connected(Client::claude()).await;
    let answer = revoked.refresh().await;
    let next = renewed(&revoked, &answer);
    let form =
        [("token", next.refresh_token.as_deref().unwrap()), ("client_id", &next.registered.id)];
    assert_eq!(scene.acme.gateway.post_form("/oauth/revoke", &form).await.status, 200);
    // Neither the next one nor, in its grace, the one that was answered.
    for connection in [&next, &revoked] {
        refusals.push(connection.refresh().await.brief());
    }
    let disabled = scene.connected(Client::chatgpt()).await;
    scene.ada.disable().await;
    refusals.push(disabled.refresh().await.brief());
    assert_snapshot!(refusals.join("\n"), @r#"
    400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}
    400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}
    400 {"error":"invalid_grant","error_description":"the refresh token is unknown, has run out, or its connection has ended"}
    "#);
}

#[tokio::test]
async fn a_suspended_tenant_gives_no_token_and_costs_none() {
    let mut scene = Scene::new().await;
    let claude = scene.connected(Client::claude()).await;
    let rotated = scene.connected(Client::chatgpt()).await;
    let answer = rotated.refresh().await;
    scene.acme.set_state(TenantState::Suspended).await;
    let mut refusals = Vec::new();
    for connection in [&claude, &rotated] {
        refusals.push(connection.refresh().await.brief());
    }
    assert_snapshot!(refusals.join("\n"), @r#"
    403 {"error":"access_denied","error_description":"This service is suspended at the moment"}
    403 {"error":"access_denied","error_description":"This service is suspended at the moment"}
    "#);
    scene.acme.set_state(TenantState::Live).await;
    assert_eq!(claude.refresh().await.status, 200);
    assert_eq!(rotated.refresh().await.body, answer.body);
}

// cli:64, sec:G14
#[tokio::test]
async fn a_client_that_refreshes_in_a_circle_is_told_to_wait_and_keeps_its_connection() {
    let mut scene = Scene::new().await;
    let mut claude = scene.connected(Client::claude()).await;
    for round in 0..30 {
        let answer = claude.refresh().await;
        assert_eq!(answer.status, 200, "{round}");
        claude = renewed(&claude, &answer);
    }
    let refused = claude.refresh().await;
    assert_snapshot!(
        format!("{} {}", refused.header("retry-after").unwrap(), refused.brief()),
        @r#"60 429 {"error":"temporarily_unavailable","error_description":"the connection was refreshed too often; come back in a minute"}"#
    );
    assert!(claude.is_let_in().await);
    let others = scene.connected(Client::claude()).await;
    assert_eq!(others.refresh().await.status, 200, "another connection of the same client");
    let later = scene.later(&claude, Duration::from_secs(61)).await;
    assert_eq!(later.refresh().await.status, 200);
}

// pre:O8, mcp:A12, sec:A13, sec:B19
#[tokio::test]
async fn where_tokens_live_until_they_are_revoked_nothing_renews_them_and_nothing_says_so() {
    let mut scene = Scene::new().await;
    let document = scene.acme.document();
    scene.acme.apply(&until_revoked(&document)).await;
    let claude = scene.connected(Client::claude()).await;
    assert_eq!(claude.refresh_token, None);
    assert_eq!(scene.count("refresh_tokens").await, 0);
    let gateway = &scene.acme.gateway;
    let metadata = gateway.fetch("/.well-known/oauth-authorization-server").await.json();
    let told = [&metadata["grant_types_supported"], &metadata["scopes_supported"]];
    assert_eq!(told, [&json!(["authorization_code"]), &json!(["read", "write"])]);
    let registered = gateway.post_json("/oauth/register", &Client::claude().registration).await;
    assert_eq!(registered.json()["grant_types"], json!(["authorization_code"]));
}

// sec:I10, sec:G14
#[tokio::test]
async fn a_database_that_is_away_is_no_verdict_about_a_refresh_token() {
    let mut scene = Scene::new().await;
    let claude = scene.connected(Client::claude()).await;
    let pool = scene.db.pool_of(1).await;
    let away = scene.acme.gateway.with_pool(pool.clone()).await;
    pool.close().await;
    let answer = claude.clone().before(&away).refresh().await;
    assert_snapshot!(
        format!("{} {}", answer.header("retry-after").unwrap(), answer.brief()),
        @r#"2 503 {"error":"temporarily_unavailable","error_description":"come back in a few seconds"}"#
    );
    assert_eq!(claude.refresh().await.status, 200);
}
