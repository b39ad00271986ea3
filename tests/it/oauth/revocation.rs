//! A client gives its token back.

use portico_testkit::{Client, Connection};
use serde_json::json;

use super::{Scene, until_revoked};

const PATH: &str = "/oauth/revoke";

// sec:H01, sec:H02, sec:H03, sec:H04, mcp:R12, cli:96
#[tokio::test]
async fn only_the_client_of_a_token_ends_it_and_the_answer_never_tells() {
    let scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let chatgpt = scene.ada.connect(Client::chatgpt()).await;
    let gateway = &scene.acme.gateway;
    let (own, other) = (claude.registered.id.as_str(), chatgpt.registered.id.as_str());
    let refresh_token = claude.refresh_token.as_deref().unwrap();
    let unknown = claude.token.replace("portico_at_", "portico_at_A");
    for fields in [
        vec![("token", claude.token.as_str()), ("client_id", other)],
        vec![("token", refresh_token), ("client_id", other)],
        vec![("token", &unknown), ("client_id", own)],
        vec![("token", "garbage"), ("client_id", own)],
    ] {
        let answer = gateway.post_form(PATH, &fields).await;
        assert_eq!(answer.brief(), "200 ", "{fields:?}");
        assert!(claude.is_let_in().await, "{fields:?}");
    }
    for hint in ["access_token", "refresh_token", "id_token"] {
        let form = [("token", refresh_token), ("client_id", own), ("token_type_hint", hint)];
        assert_eq!(gateway.post_form(PATH, &form).await.brief(), "200 ");
        assert!(!claude.is_let_in().await);
        assert_eq!(claude.refresh().await.json()["error"], "invalid_grant");
    }
    assert!(chatgpt.is_let_in().await);
    let ended = scene.db.rows("select end_reason from connections order by ended_at").await;
    assert_eq!(ended, [json!({ "end_reason": "client" }), json!({ "end_reason": null })]);
    let told = "select event, count(*) as n from security_events group by 1 order by 1";
    assert_eq!(
        scene.db.rows(told).await,
        [
            json!({ "event": "connected", "n": 2 }),
            json!({ "event": "disconnected_by_client", "n": 1 })
        ]
    );
}

// sec:H01, sec:H04
#[tokio::test]
async fn an_access_token_ends_alone_where_another_can_follow_it() {
    let scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let own = claude.registered.id.as_str();
    let form = [
        ("token", claude.token.as_str()),
        ("client_id", own),
        ("token_type_hint", "refresh_token"),
    ];
    for _ in 0..2 {
        assert_eq!(scene.acme.gateway.post_form(PATH, &form).await.brief(), "200 ");
        assert!(!claude.is_let_in().await);
    }
    let answer = claude.refresh().await;
    let next = Connection::of_tokens(claude.gateway.clone(), claude.registered.clone(), &answer);
    assert!(next.is_let_in().await);

    // A refresh token that was rotated is its connection's all the same.
    let form = [("token", claude.refresh_token.as_deref().unwrap()), ("client_id", own)];
    assert_eq!(scene.acme.gateway.post_form(PATH, &form).await.brief(), "200 ");
    assert!(!next.is_let_in().await);
    assert_eq!(next.refresh().await.status, 400);
}

// sec:H01, pre:O8
#[tokio::test]
async fn a_token_that_nothing_follows_ends_with_its_connection() {
    let scene = Scene::new().await;
    let document = scene.acme.document();
    scene.acme.apply(&until_revoked(&document)).await;
    let claude = scene.ada.connect(Client::claude()).await;
    let form = [("token", claude.token.as_str()), ("client_id", claude.registered.id.as_str())];
    assert_eq!(scene.acme.gateway.post_form(PATH, &form).await.brief(), "200 ");
    assert!(!claude.is_let_in().await);
    let ended = scene.db.rows("select end_reason from connections").await;
    assert_eq!(ended, [json!({ "end_reason": "client" })]);
}

#[tokio::test]
async fn a_request_that_lacks_something_is_told_what() {
    let scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let own = claude.registered.id.as_str();
    let mut refusals = Vec::new();
    for fields in [
        vec![("client_id", own)],
        vec![("token", "x")],
        vec![("token", "x"), ("client_id", "nope")],
        vec![("token", "x"), ("client_id", "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")],
        vec![("token", "x"), ("client_id", own), ("client_secret", "x")],
        vec![("token", "x"), ("token", "y"), ("client_id", own)],
    ] {
        refusals.push(scene.acme.gateway.post_form(PATH, &fields).await.brief());
    }
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    400 {"error":"invalid_request","error_description":"missing field `token`"}
    400 {"error":"invalid_request","error_description":"missing field `client_id`"}
    401 {"error":"invalid_client","error_description":"the client is not registered here"}
    401 {"error":"invalid_client","error_description":"the client is not registered here"}
    401 {"error":"invalid_client","error_description":"the client has no secret and must not send one"}
    400 {"error":"invalid_request","error_description":"a parameter is given more than once"}
    "#);
    assert!(claude.is_let_in().await);
}
