//! The program as people start it: what it says, what it keeps, and how it ends.

use portico_model::{Role, WorkspaceId};
use portico_testkit::{Browser, Client, Portico, Scratch, Tenant, without_ids};
use serde_json::{Value, json};

#[test]
fn dev_says_in_one_line_how_to_drive_it() {
    let scratch = Scratch::new();
    let portico = Portico::dev(&scratch);
    let origin = portico.welcome["mcp_url"].as_str().unwrap().trim_end_matches("/mcp/boards");
    let (origin, port) = origin.rsplit_once(':').unwrap();
    assert_eq!(origin, "http://127.0.0.1");
    let said = portico.welcome.to_string().replace(&format!(":{port}"), ":[port]");
    let mut said: Value = serde_json::from_str(&said).unwrap();
    for person in said["people"].as_array_mut().unwrap() {
        for workspace in person["workspaces"].as_array_mut().unwrap() {
            let id = workspace["id"].as_str().unwrap();
            id.parse::<WorkspaceId>().unwrap();
            workspace["id"] = "[id]".into();
        }
    }
    let database = said["database_url"].as_str().unwrap();
    assert_eq!(database.split(':').next(), Some("postgres"));
    said["database_url"] = "[url]".into();
    insta::assert_json_snapshot!(said);
}

#[tokio::test]
async fn dev_goes_on_with_what_it_had_and_leaves_nothing_running() {
    let scratch = Scratch::new();
    let first = Portico::dev(&scratch);
    let database = first.database_url();
    let tenant = first.tenant(&database).await;
    let people = first.welcome["people"].clone();
    let ada = first.person(0, &tenant).await;
    let app = ada.connect(Client::claude()).await;
    let card =
        json!({ "workspace": "northwind.example", "card": "Choose a date", "column": "Doing" });
    let moved = app.call("move_card", card.clone()).await;
    assert!(!moved.is_error(), "{moved}");
    ada.tenant.gateway.pool().close().await;
    assert!(scratch.has_postgres());
    assert!(first.stop().success());
    assert!(!scratch.has_postgres());

    let second = Portico::dev(&scratch);
    assert_eq!(second.welcome["people"], people);
    let tenant = second.tenant(&second.database_url()).await;
    let ada = second.person(0, &tenant).await;
    let app = ada.connect(Client::claude()).await;
    let again = app.call("move_card", card).await.to_string();
    insta::assert_snapshot!(without_ids(&again), @r#"The card "Choose a date" [id] is in "Doing" already, on the board "Launch" [id] (https://app.acme.example/boards/id)."#);
    assert!(second.stop().success());
    assert!(!scratch.has_postgres());
}

#[test]
fn dev_that_is_stopped_while_it_starts_leaves_nothing_running() {
    let scratch = Scratch::new();
    let ended = Portico::dev_stopped_at_its_start(&scratch);
    assert!(ended.success(), "{ended}");
    assert!(!scratch.has_postgres());
}

#[tokio::test]
async fn several_processes_serve_one_tenant_side_by_side() {
    let scratch = Scratch::new();
    let dev = Portico::dev(&scratch);
    let database = dev.database_url();
    let public = "https://mcp.acme.example";
    let one = Portico::serve(&scratch, &database, public, Some("acme"));
    let other = Portico::serve(&scratch, &database, public, Some("acme"));

    let tenant = one.tenant(&database).await;
    let ada = dev.person(0, &tenant).await;
    let here = ada.connect(Client::claude()).await;
    let there = here.clone().before(&other.gateway(&database).await);
    let listed = here.call("list_workspaces", json!({})).await.to_string();
    assert_eq!(there.call("list_workspaces", json!({})).await.to_string(), listed);

    // Ended at the one, refused at the other.
    let mut browser = ada.browser().await;
    let panel = browser.open(&tenant.url("/connections")).await;
    browser.press(&panel, "Disconnect", &[]).await;
    assert_eq!(there.call("list_workspaces", json!({})).await.0.status, 401);

    // What a browser begins at the one, it finishes at the other.
    let registered = Client::claude().register(&tenant.gateway, &tenant.resource()).await;
    let ask = registered.ask();
    let mut browser = Browser::new(&tenant.gateway);
    browser.open(&ask.url()).await;
    let mut browser = browser.before(&other.gateway(&database).await);
    let callback = ada.allow(&mut browser, &ask).await;
    let answer = ask.exchange(&tenant.gateway, &ask.code(&callback)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);

    assert!(one.stop().success());
    assert!(other.stop().success());
    assert!(dev.stop().success());
}

// mcp:R8
#[tokio::test]
async fn several_tenants_share_an_origin_below_their_names() {
    let scratch = Scratch::new();
    let dev = Portico::dev(&scratch);
    let database = dev.database_url();
    let shared = Portico::serve(&scratch, &database, "https://mcp.example.com", None);

    let acme = shared.tenant(&database).await;
    assert_eq!(acme.resource(), "https://mcp.example.com/v/acme/mcp/boards");
    let globex = Tenant::named(acme.gateway.clone(), "globex").await;
    let ada = globex.person("ada").member_of("docs").await;
    ada.join("wiki", Role::Viewer).await;
    let app = ada.connect(Client::claude()).await;
    insta::assert_snapshot!(app.call("list_boards", json!({ "workspace": "docs" })).await, @r#"The workspace "docs" has no boards yet. create_board makes one."#);

    // A token is nothing below another name.
    let mut stranger = app.clone();
    stranger.registered.resource = acme.resource();
    assert_eq!(stranger.call("list_workspaces", json!({})).await.0.status, 401);
}
