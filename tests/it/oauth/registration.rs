//! Registration: the same client is the same row, and a refusal leaves none.

use axum::body::Body;
use http::{Method, Request};
use insta::assert_json_snapshot;
use portico_testkit::Client;
use serde_json::json;

use super::{Scene, post};

const PATH: &str = "/oauth/register";

// cli:20, cli:23, mcp:A8, sec:B23
#[tokio::test]
async fn an_app_is_told_what_was_registered_and_gets_no_secret() {
    let scene = Scene::new().await;
    let mut cursor = Client::cursor().registration;
    cursor["token_endpoint_auth_method"] = json!("client_secret_post");
    cursor["scope"] = json!("read openid");
    cursor["client_id"] = json!("chosen");
    let answer = scene.acme.gateway.post_json(PATH, &cursor).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (201, Some("no-store")));
    assert_json_snapshot!(
        answer.json(),
        { ".client_id" => "[id]", ".client_id_issued_at" => "[seconds]" },
        @r#"
        {
          "client_id": "[id]",
          "client_id_issued_at": "[seconds]",
          "client_name": "Cursor",
          "grant_types": [
            "authorization_code",
            "refresh_token"
          ],
          "redirect_uris": [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback"
          ],
          "response_types": [
            "code"
          ],
          "scope": "read",
          "token_endpoint_auth_method": "none"
        }
        "#
    );
    let issued = &answer.json()["client_id_issued_at"];
    assert!(issued.is_u64(), "{issued}");
}

// cli:27, pre:O5
#[tokio::test]
async fn registering_again_is_the_same_client_and_one_row() {
    let scene = Scene::new().await;
    let register = async |redirect_uri: &str| {
        let body = Client::new("Codex", redirect_uri).registration;
        let answer = scene.acme.gateway.post_json(PATH, &body).await.json();
        assert_eq!(answer["redirect_uris"], json!([redirect_uri]));
        answer["client_id"].as_str().unwrap().to_owned()
    };
    let first = register("http://127.0.0.1:51004/callback").await;
    assert_eq!(register("http://127.0.0.1:51004/callback").await, first);
    assert_eq!(register("http://127.0.0.1:33418/callback").await, first);
    assert_eq!(scene.count("clients").await, 1);
    assert_ne!(register("http://127.0.0.1:51004/other").await, first);
    assert_eq!(scene.count("clients").await, 2);
}

// sec:B02, sec:B20
#[tokio::test]
async fn what_is_refused_is_refused_whole() {
    let scene = Scene::new().await;
    let gateway = &scene.acme.gateway;
    let mixed = json!({ "redirect_uris": ["https://client.test/cb", "http://client.test/cb"] });
    let good = r#"{"redirect_uris":["https://client.test/cb"]}"#;
    let large = format!("{}{}", " ".repeat(64 * 1024), good);
    let json = "application/json";
    let mut refusals = Vec::new();
    for (content_type, body) in [
        (json, mixed.to_string()),
        (json, "[1".to_owned()),
        (json, r#"[null,["https://client.test/cb"],null,null,null]"#.to_owned()),
        (json, large),
        (json, "[".repeat(10_000)),
        ("text/plain", good.to_owned()),
        ("application/jsonx", good.to_owned()),
    ] {
        refusals.push(post(gateway, PATH, &[("content-type", content_type)], body).await.brief());
    }
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    400 {"error":"invalid_redirect_uri","error_description":"redirect_uris[1] is not accepted: http is accepted for localhost, 127.0.0.1 and [::1] only"}
    400 {"error":"invalid_client_metadata","error_description":"the body is not a JSON object of client metadata"}
    400 {"error":"invalid_client_metadata","error_description":"the body is not a JSON object of client metadata"}
    413 {"error":"invalid_client_metadata","error_description":"the body is too large"}
    400 {"error":"invalid_client_metadata","error_description":"the body is not read: nested too deeply"}
    415 {"error":"invalid_client_metadata","error_description":"the body must be JSON"}
    415 {"error":"invalid_client_metadata","error_description":"the body must be JSON"}
    "#);
    assert_eq!(scene.count("clients").await, 0);
    let typed = ("content-type", "Application/JSON; charset=utf-8");
    let accepted = post(gateway, PATH, &[typed], good.to_owned()).await;
    assert_eq!(accepted.status, 201);
}

// sec:B22
#[tokio::test]
async fn a_registration_cannot_be_managed_afterwards() {
    let scene = Scene::new().await;
    let id = scene.ask(Client::claude()).await.registered.id;
    let mut answers = Vec::new();
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        for (name, path) in [("PATH", PATH.to_owned()), ("PATH/id", format!("{PATH}/{id}"))] {
            let request = Request::builder().method(method.clone()).uri(path);
            let answer = scene.acme.gateway.send(request.body(Body::empty()).unwrap()).await;
            answers.push(format!("{method} {name}: {}", answer.brief()));
        }
    }
    insta::assert_snapshot!(answers.join("\n"), @r#"
    GET PATH: 405 {"error":"invalid_request","error_description":"the method must be POST"}
    GET PATH/id: 404 {"error":"not_found","error_description":"there is nothing at this address"}
    PUT PATH: 405 {"error":"invalid_request","error_description":"the method must be POST"}
    PUT PATH/id: 404 {"error":"not_found","error_description":"there is nothing at this address"}
    DELETE PATH: 405 {"error":"invalid_request","error_description":"the method must be POST"}
    DELETE PATH/id: 404 {"error":"not_found","error_description":"there is nothing at this address"}
    "#);
    assert_eq!(scene.count("clients").await, 1);
}
