//! What is absent is left out: most clients refuse a whole document for one null.

use portico_testkit::{Client, Database, Tenant};
use serde_json::{Value, json};

// cli:82
#[tokio::test]
async fn no_answer_of_a_whole_run_has_a_null_in_it() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let gateway = &acme.gateway;
    let ada = acme.person("ada").member_of("docs").viewer_of("wiki").await;
    let claude = ada.connect(Client::claude()).await;
    // A client that says as little as it may.
    let terse = Client {
        registration: json!({ "redirect_uris": ["http://127.0.0.1/callback"] }),
        ..Client::new("", "http://127.0.0.1/callback")
    };
    let terse = ada.connect(terse).await;

    for app in [claude.clone(), claude.clone().per_request(), terse] {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "testkit", "version": "1" },
        });
        app.ask("initialize", hello).await;
        app.ask("server/discover", json!({})).await;
        app.ask("ping", json!({})).await;
        app.ask("tools/list", json!({})).await;
        app.ask("no/such/method", json!({})).await;
        let docs = |rest: Value| {
            let mut arguments = json!({ "workspace": "docs" });
            arguments.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            arguments
        };
        app.call("list_workspaces", json!({})).await;
        app.call("list_boards", json!({})).await;
        app.call("create_board", docs(json!({ "title": "Launch" }))).await;
        app.call("create_card", docs(json!({ "board": "Launch", "title": "One" }))).await;
        app.call("read_board", docs(json!({ "board": "Launch" }))).await;
        app.call("read_board", docs(json!({ "board": 1 }))).await;
        app.call("read_board", json!({ "workspace": "nowhere", "board": "Launch" })).await;
        app.call("no_such_tool", json!({})).await;
        app.send("{bad", &[]).await;
        app.send("[]", &[]).await;
    }
    let mut stranger = claude.clone();
    stranger.token.push('x');
    stranger.call("list_workspaces", json!({})).await;
    assert_eq!(claude.refresh().await.status, 200);
    let endpoints = &claude.registered.endpoints;
    gateway.post_json(&endpoints.registration, &json!({ "redirect_uris": ["ftp://x"] })).await;
    gateway.post_form(&endpoints.token, &[("grant_type", "authorization_code")]).await;
    gateway.post_form(&endpoints.token, &[("grant_type", "password")]).await;
    gateway.fetch("/.well-known/openid-configuration").await;

    assert_eq!(nulls(&json!({ "found": [null] }), "$"), ["$.found[0]"]);
    let answers = gateway.answers();
    assert!(answers.len() > 50, "only {} answers", answers.len());
    for (asked, answer) in answers {
        let nulls = nulls(&answer, "$");
        assert!(nulls.is_empty(), "{asked}: {nulls:?} in {answer:#}");
    }
}

/// The places at which a value is null.
fn nulls(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Null => vec![at.to_owned()],
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.flat_map(|(index, item)| nulls(item, &format!("{at}[{index}]"))).collect()
        }
        Value::Object(fields) => {
            let each = fields.iter();
            each.flat_map(|(name, field)| nulls(field, &format!("{at}.{name}"))).collect()
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
