//! A client gives its token back.

use portico_testkit::{Client, Connection};
use serde_json::json;

use super::Scene;

const PATH: &str = "/oauth/revoke";

async fn is_let_in(connection: &Connection) -> bool {
    let answer = connection.ask("ping", json!({})).await;
    match answer.status.as_u16() {
        200 => true,
        401 => false,
        status => panic!("{status} {}", answer.body),
    }
}

// sec:H01, sec:H02, sec:H03, sec:H04, mcp:R12
#[tokio::test]
async fn only_the_client_of_a_token_ends_it_and_the_answer_never_tells() {
    let scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let chatgpt = scene.ada.connect(Client::chatgpt()).await;
    let gateway = &scene.acme.gateway;
    let (own, other) = (claude.registered.id.as_str(), chatgpt.registered.id.as_str());
    let unknown = claude.token.replace("portico_at_", "portico_at_A");
    for fields in [
        vec![("token", claude.token.as_str()), ("client_id", other)],
        vec![("token", &unknown), ("client_id", own)],
        vec![("token", "garbage"), ("client_id", own)],
    ] {
        let answer = gateway.post_form(PATH, &fields).await;
        assert_eq!(answer.brief(), "200 ", "{fields:?}");
        assert!(is_let_in(&claude).await, "{fields:?}");
    }
    let form = [
        ("token", claude.token.as_str()),
        ("client_id", own),
        ("token_type_hint", "refresh_token"),
    ];
    for _ in 0..2 {
        assert_eq!(gateway.post_form(PATH, &form).await.brief(), "200 ");
        assert!(!is_let_in(&claude).await);
    }
    assert!(is_let_in(&chatgpt).await);
    let ended =
        scene.db.rows("select end_reason from connections where ended_at is not null").await;
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
    assert!(is_let_in(&claude).await);
}
