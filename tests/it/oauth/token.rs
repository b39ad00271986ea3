//! The exchange of a code: once, by the one who asked, and never by a mistake.

use std::time::Duration;

use axum::body::Body;
use http::Request;
use insta::assert_snapshot;
use portico_model::{Kind, PlainToken, TenantState};
use portico_storage as storage;
use portico_storage::{Taking, authorization_code};
use portico_testkit::client::Ask;
use portico_testkit::{Answer, Client, Connection};
use serde_json::json;

use super::{Scene, changed, post, until_revoked};

const PATH: &str = "/oauth/token";
const REPLAYED: Duration = Duration::from_secs(31);

/// Whether the token of an answer to `ask` lets its holder in.
async fn lives(scene: &Scene, ask: &Ask, answer: &Answer) -> bool {
    let gateway = scene.acme.gateway.clone();
    Connection::of_tokens(gateway, ask.registered.clone(), answer).is_let_in().await
}

// cli:53, mcp:A11, sec:F19
#[tokio::test]
async fn a_code_becomes_a_token_that_is_not_kept_by_anything_between() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let answer = ask.exchange(&scene.acme.gateway, &code).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, Some("no-store")));
    insta::assert_json_snapshot!(answer.json(), { ".access_token" => "[token]", ".refresh_token" => "[token]" }, @r#"
    {
      "access_token": "[token]",
      "expires_in": 28800,
      "refresh_token": "[token]",
      "scope": "read write",
      "token_type": "Bearer"
    }
    "#);
    assert!(lives(&scene, &ask, &answer).await);
}

// sec:F01, sec:F02, sec:F06, sec:F07, sec:F14, sec:F16, sec:F17, sec:F19, sec:F21, mcp:A10
#[tokio::test]
async fn a_mistake_is_named_and_costs_the_code_nothing() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let other = scene.ask(Client::chatgpt()).await.registered.id;
    let unknown = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let form = ask.exchange_form(&code);
    let guess = code.replace("portico_ac_", "portico_ac_A");
    let mut refusals = Vec::new();
    for (name, value) in [
        ("grant_type", None),
        ("grant_type", Some("password")),
        ("client_id", None),
        ("client_id", Some("")),
        ("client_id", Some(unknown)),
        ("client_id", Some(&other)),
        ("client_secret", Some("x")),
        ("code", None),
        ("code", Some("\0")),
        ("code", Some(&guess)),
        ("redirect_uri", Some("https://claude.ai/other")),
        ("resource", Some("https://gateway.example/mcp/other")),
        ("code_verifier", None),
        ("code_verifier", Some("short")),
        ("code_verifier", Some("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")),
    ] {
        let answer = scene.acme.gateway.post_form(PATH, &changed(&form, name, value)).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let value = value.map(|value| value.replace(&other, "chatgpt").replace(&guess, "guess"));
        refusals.push(format!("{name}={value:?}: {}", answer.brief()));
    }
    assert_snapshot!(refusals.join("\n"), @r#"
    grant_type=None: 400 {"error":"invalid_request","error_description":"missing field `grant_type`"}
    grant_type=Some("password"): 400 {"error":"unsupported_grant_type","error_description":"grant_type is none that is served: authorization_code, refresh_token"}
    client_id=None: 400 {"error":"invalid_request","error_description":"missing field `client_id`"}
    client_id=Some(""): 400 {"error":"invalid_request","error_description":"missing field `client_id`"}
    client_id=Some("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"): 401 {"error":"invalid_client","error_description":"the client is not registered here"}
    client_id=Some("chatgpt"): 400 {"error":"invalid_grant","error_description":"the code is unknown, has run out, or was used"}
    client_secret=Some("x"): 401 {"error":"invalid_client","error_description":"the client has no secret and must not send one"}
    code=None: 400 {"error":"invalid_request","error_description":"missing field `code`"}
    code=Some("\0"): 400 {"error":"invalid_request","error_description":"a parameter holds a control character"}
    code=Some("guess"): 400 {"error":"invalid_grant","error_description":"the code is unknown, has run out, or was used"}
    redirect_uri=Some("https://claude.ai/other"): 400 {"error":"invalid_grant","error_description":"redirect_uri is not the one of the authorization request"}
    resource=Some("https://gateway.example/mcp/other"): 400 {"error":"invalid_target","error_description":"resource is not the one of the authorization request"}
    code_verifier=None: 400 {"error":"invalid_request","error_description":"missing field `code_verifier`"}
    code_verifier=Some("short"): 400 {"error":"invalid_grant","error_description":"code_verifier does not match"}
    code_verifier=Some("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"): 400 {"error":"invalid_grant","error_description":"code_verifier does not match"}
    "#);
    let without_redirect = changed(&form, "redirect_uri", None);
    let bare = changed(&without_redirect, "resource", None);
    let tokens = scene.acme.gateway.post_form(PATH, &bare).await;
    assert!(lives(&scene, &ask, &tokens).await);
}

// sec:F07, sec:F18
#[tokio::test]
async fn an_exchange_brings_what_was_allowed_to_the_address_that_it_was_allowed_for() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude_code().asking_for("read")).await;
    let form = ask.exchange_form(&code);
    let other_port = ask.registered.client.redirect_uri.replace("58753", "58754");
    let answer = scene
        .acme
        .gateway
        .post_form(PATH, &changed(&form, "redirect_uri", Some(&other_port)))
        .await;
    assert_eq!((answer.status.as_u16(), &answer.json()["error"]), (400, &json!("invalid_grant")));
    let wider = changed(&form, "scope", Some("read write delete offline_access"));
    let answer = scene.acme.gateway.post_form(PATH, &wider).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["scope"]), (200, &json!("read")));
}

// sec:F09
#[tokio::test]
async fn a_code_that_was_guessed_is_refused_and_touches_none() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let random = code.strip_prefix("portico_ac_").unwrap();
    assert_eq!(random.len(), 48, "256 random bits and a checksum");
    let before = scene.db.dump().await;
    for _ in 0..1_000 {
        let guess = PlainToken::mint(Kind::Code, portico_testkit::random::bytes());
        let answer = ask.exchange(&scene.acme.gateway, guess.expose()).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["error"]),
            (400, &json!("invalid_grant"))
        );
    }
    assert_eq!(scene.db.dump().await, before);
    assert_eq!(ask.exchange(&scene.acme.gateway, &code).await.status, 200);
}

// sec:F22, cli:54
#[tokio::test]
async fn a_client_that_hung_up_and_asks_again_at_once_loses_nothing_that_it_had() {
    let mut scene = Scene::new().await;
    let mut hung_up_at_all = false;
    for round in 0..30 {
        let (ask, code) = scene.allowed(Client::claude()).await;
        let patience = Duration::from_micros(round * 200);
        let hung_up =
            tokio::time::timeout(patience, ask.exchange(&scene.acme.gateway, &code)).await.is_err();
        let answer = ask.exchange(&scene.acme.gateway, &code).await;
        let is_second = answer.status != 200;
        hung_up_at_all |= hung_up;
        assert!(hung_up || is_second, "round {round}: twice");
        if is_second {
            assert_eq!(answer.json()["error"], "invalid_grant", "round {round}");
        }
    }
    assert_eq!(scene.count("access_tokens").await, 30);
    let ended = scene.db.rows("select 1 from connections where ended_at is not null").await;
    assert_eq!(ended, Vec::<serde_json::Value>::new());
    assert!(hung_up_at_all, "everyone waited for the answer");
}

// sec:F11, sec:F12, sec:F13, sec:F14, sec:F17
#[tokio::test]
async fn a_request_that_is_no_plain_form_is_refused_before_its_code_is_looked_at() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let gateway = &scene.acme.gateway;
    let form = portico_testkit::form(&ask.exchange_form(&code));
    let plain = ("content-type", "application/x-www-form-urlencoded");
    let json = serde_json::Value::from_iter(ask.exchange_form(&code)).to_string();
    let mut refusals = Vec::new();
    for (name, headers, body) in [
        ("json", vec![("content-type", "application/json")], json),
        ("text", vec![("content-type", "text/plain")], form.clone()),
        (
            "a longer type",
            vec![("content-type", "application/x-www-form-urlencodedx")],
            form.clone(),
        ),
        ("no type", vec![], form.clone()),
        ("a code twice", vec![plain], format!("{form}&code=x")),
        ("two resources", vec![plain], format!("{form}&resource=x")),
        ("too much", vec![plain], format!("{form}&x={}", "x".repeat(16 * 1024))),
        ("multipart", vec![("content-type", "multipart/form-data; boundary=x")], form.clone()),
        ("basic", vec![plain, ("authorization", "Basic dTpw")], form.clone()),
        ("basic that is no base64", vec![plain, ("authorization", "basic %%%")], form.clone()),
        ("bearer", vec![plain, ("authorization", "Bearer x")], form.clone()),
    ] {
        let answer = post(gateway, PATH, &headers, body).await;
        let challenge = answer.header("www-authenticate").unwrap_or("-");
        refusals.push(format!("{name}: {challenge} {}", answer.brief()));
    }
    let in_query = Request::post(format!("{PATH}?{form}")).header(plain.0, plain.1);
    let answer = gateway.send(in_query.body(Body::empty()).unwrap()).await;
    refusals.push(format!("in the query: {}", answer.brief()));
    let fetched = gateway.fetch(&format!("{PATH}?{form}")).await;
    refusals.push(format!("by GET: {}", fetched.brief()));
    assert_snapshot!(refusals.join("\n"), @r#"
    json: - 400 {"error":"invalid_request","error_description":"the body must be a form, application/x-www-form-urlencoded"}
    text: - 400 {"error":"invalid_request","error_description":"the body must be a form, application/x-www-form-urlencoded"}
    a longer type: - 400 {"error":"invalid_request","error_description":"the body must be a form, application/x-www-form-urlencoded"}
    no type: - 400 {"error":"invalid_request","error_description":"the body must be a form, application/x-www-form-urlencoded"}
    a code twice: - 400 {"error":"invalid_request","error_description":"a parameter is given more than once"}
    two resources: - 400 {"error":"invalid_target","error_description":"more than one resource is asked for"}
    too much: - 413 {"error":"invalid_request","error_description":"the body is too large"}
    multipart: - 400 {"error":"invalid_request","error_description":"the body must be a form, application/x-www-form-urlencoded"}
    basic: Basic realm="portico" 401 {"error":"invalid_client","error_description":"clients here have no secret and do not authenticate"}
    basic that is no base64: Basic realm="portico" 401 {"error":"invalid_client","error_description":"clients here have no secret and do not authenticate"}
    bearer: - 401 {"error":"invalid_client","error_description":"clients here have no secret and do not authenticate"}
    in the query: 400 {"error":"invalid_request","error_description":"missing field `grant_type`"}
    by GET: 405 {"error":"invalid_request","error_description":"the method must be POST"}
    "#);
    let typed = ("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
    assert_eq!(post(gateway, PATH, &[typed], form).await.status, 200);
}

// sec:F01
#[tokio::test]
async fn five_wrong_verifiers_burn_a_code() {
    let mut scene = Scene::new().await;
    for (wrong, status) in [(4, 200), (5, 400)] {
        let (ask, code) = scene.allowed(Client::claude()).await;
        let form = ask.exchange_form(&code);
        let guessed = changed(&form, "code_verifier", Some("guessed"));
        for _ in 0..wrong {
            let answer = scene.acme.gateway.post_form(PATH, &guessed).await;
            assert_eq!(answer.status, 400);
        }
        let answer = ask.exchange(&scene.acme.gateway, &code).await;
        assert_eq!(answer.status, status, "after {wrong}");
    }
}

// cli:54, sec:F03, sec:F04, sec:F22
#[tokio::test]
async fn a_code_that_comes_back_late_ends_its_connection_and_only_if_it_is_proved() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let later = scene.acme.gateway.later(&scene.db, REPLAYED).await;
    let tokens = ask.exchange(&scene.acme.gateway, &code).await;
    let refused = ask.exchange(&scene.acme.gateway, &code).await;
    assert_snapshot!(
        refused.brief(),
        @r#"400 {"error":"invalid_grant","error_description":"the code is unknown, has run out, or was used"}"#
    );
    assert!(lives(&scene, &ask, &tokens).await);
    let form = ask.exchange_form(&code);
    let other = scene.ask(Client::chatgpt()).await.registered.id;
    for (name, value) in [
        ("code_verifier", "guessed"),
        ("client_id", &other),
        ("redirect_uri", "https://claude.ai/other"),
        ("resource", "https://gateway.example/mcp/other"),
    ] {
        for _ in 0..6 {
            let answer = later.post_form(PATH, &changed(&form, name, Some(value))).await;
            assert_eq!(answer.status, 400, "{name}");
        }
    }
    assert!(lives(&scene, &ask, &tokens).await);
    let replayed = ask.exchange(&later, &code).await;
    assert_snapshot!(
        replayed.brief(),
        @r#"400 {"error":"invalid_grant","error_description":"the code was used before; its connection is ended"}"#
    );
    assert!(!lives(&scene, &ask, &tokens).await);
    let ended = scene.db.rows("select end_reason from connections").await;
    assert_eq!(ended, [json!({ "end_reason": "code_replayed" })]);
    let told = scene.db.rows("select event from security_events order by happened_at").await;
    let told: Vec<_> = told.iter().map(|row| row["event"].as_str().unwrap()).collect();
    assert_eq!(told, ["connected", "code_replayed"]);
}

// sec:F08
#[tokio::test]
async fn a_code_lives_ten_minutes() {
    let mut scene = Scene::new().await;
    for (seconds, status) in [(590, 200), (610, 400)] {
        let later = scene.acme.gateway.later(&scene.db, Duration::from_secs(seconds)).await;
        let (ask, code) = scene.allowed(Client::claude()).await;
        assert_eq!(ask.exchange(&later, &code).await.status, status, "{seconds}");
    }
}

// sec:E22
#[tokio::test]
async fn a_person_who_was_disabled_meanwhile_gets_nothing() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    scene.ada.disable().await;
    let answer = ask.exchange(&scene.acme.gateway, &code).await;
    assert_snapshot!(
        answer.brief(),
        @r#"400 {"error":"invalid_grant","error_description":"the code is unknown, has run out, or was used"}"#
    );
    assert_eq!(scene.count("access_tokens").await, 0);
}

#[tokio::test]
async fn a_suspended_tenant_gives_no_token_and_burns_no_code() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    scene.acme.set_state(TenantState::Suspended).await;
    let answer = ask.exchange(&scene.acme.gateway, &code).await;
    assert_snapshot!(
        answer.brief(),
        @r#"403 {"error":"access_denied","error_description":"This service is suspended at the moment"}"#
    );
    // Even for an exchange that began before.
    let Ok(code) = PlainToken::parse(Kind::Code, &code) else { panic!("no code of ours") };
    let mut conn = storage::acquire(scene.acme.gateway.pool()).await.unwrap();
    let taking = authorization_code::take(&mut conn, scene.acme.id, &code.hash()).await.unwrap();
    assert_eq!(taking, Taking::TenantSuspended);
    drop(conn);
    scene.acme.set_state(TenantState::Live).await;
    let answer = ask.exchange(&scene.acme.gateway, code.expose()).await;
    assert!(lives(&scene, &ask, &answer).await);
}

// mcp:A12, pre:O8, cli:62
#[tokio::test]
async fn a_server_may_give_tokens_that_live_until_they_are_revoked() {
    let mut scene = Scene::new().await;
    let document = until_revoked(&scene.acme.document());
    scene.acme.apply(&document).await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let answer = ask.exchange(&scene.acme.gateway, &code).await;
    insta::assert_json_snapshot!(answer.json(), { ".access_token" => "[token]" }, @r#"
    {
      "access_token": "[token]",
      "scope": "read write",
      "token_type": "Bearer"
    }
    "#);
    let years = Duration::from_hours(5 * 365 * 24);
    scene.acme.gateway = scene.acme.gateway.later(&scene.db, years).await;
    assert!(lives(&scene, &ask, &answer).await);
}

// sec:I10, sec:F10
#[tokio::test]
async fn a_database_that_is_away_is_no_verdict_about_a_code() {
    let mut scene = Scene::new().await;
    let (ask, code) = scene.allowed(Client::claude()).await;
    let pool = scene.db.pool_of(1).await;
    let away = scene.acme.gateway.with_pool(pool.clone()).await;
    pool.close().await;
    let answer = ask.exchange(&away, &code).await;
    assert_snapshot!(
        format!("{} {}", answer.header("retry-after").unwrap(), answer.brief()),
        @r#"2 503 {"error":"temporarily_unavailable","error_description":"come back in a few seconds"}"#
    );
    let tokens = ask.exchange(&scene.acme.gateway, &code).await;
    assert_eq!(tokens.status, 200);
    let token = tokens.json()["access_token"].as_str().unwrap().to_owned();
    let dump = scene.db.dump().await;
    let found = [&code, &ask.verifier, &token].map(|secret| dump.matches(&**secret).count());
    assert_eq!(found, [0; 3]);
}
