//! A declaration that is put in force is obeyed by every instance from then on, and one that does
//! not hold changes nothing.

use portico_server::app::modules;
use portico_server::tenant;
use portico_storage as storage;
use portico_testkit::{Client, Database, Gateway, Tenant};
use serde_json::json;

#[tokio::test]
async fn a_new_server_answers_its_first_request_at_an_instance_that_never_heard_of_it() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    // It has served the tenant before, as it was.
    let other = acme.gateway.with_pool(db.pool().await).await;
    let resource = acme.resource().replace("/mcp/boards", "/mcp/readers");
    assert_eq!(other.fetch(&resource).await.status, 404);

    let with_another = format!(
        "{}\n[[servers]]\nname = \"readers\"\ntitle = \"Readers\"\ntools = [\"read_board\"]\n",
        acme.document()
    );
    acme.apply(&with_another).await;

    assert_eq!(other.fetch(&resource).await.status, 401);
    let mut ada = ada;
    ada.tenant.gateway = other;
    let app = ada.connect_to(Client::claude(), &resource).await;
    insta::assert_snapshot!(app.call("read_board", json!({ "board": "None" })).await, @r#"refused: The workspace "docs" has no boards yet. create_board makes one."#);
}

#[tokio::test]
async fn a_new_tool_finds_its_workspace_at_an_instance_that_never_heard_of_it() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let whole = acme.document();
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let id = acme.workspace("docs").await.to_string();
    for arguments in [json!({}), json!({ "workspace": "docs.example" }), json!({ "workspace": id })]
    {
        acme.apply(&whole.replace(r#""list_boards", "#, "")).await;
        let other = acme.gateway.with_pool(db.pool().await).await;
        acme.apply(&whole).await;

        let called = claude.clone().before(&other).call("list_boards", arguments).await;

        let none = "The workspace \"docs\" has no boards yet. create_board makes one.";
        assert_eq!(called.to_string(), none);
    }
}

#[tokio::test]
async fn a_document_that_does_not_hold_changes_nothing() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let mut conn = storage::acquire(acme.gateway.pool()).await.unwrap();
    let broken = acme.document().replace("\"move_card\"", "\"move_cards\"");

    let refused = tenant::apply(&mut conn, &modules(), "acme.toml", &broken).await;

    insta::assert_snapshot!(refused.unwrap_err(), @"acme.toml:51:85: there is no tool `move_cards`; did you mean `move_card`?");
    let kept = storage::tenant::find_by_slug(&mut conn, "acme").await.unwrap().unwrap();
    assert_eq!((kept.version, kept.document), (1, acme.document()));
}

#[tokio::test]
async fn a_tenant_whose_document_does_not_hold_here_costs_the_others_nothing() {
    let db = Database::new().await;
    let shared = Gateway::shared(&db).await;
    let acme = Tenant::named(shared.clone(), "acme").await;
    let globex = Tenant::named(shared, "globex").await;
    // As another build might have stored it: with a tool that this one lacks, or another's name.
    for document in [globex.document().replace("move_card", "fly_card"), acme.document()] {
        let mut conn = storage::acquire(globex.gateway.pool()).await.unwrap();
        storage::tenant::apply(&mut conn, globex.id, &document).await.unwrap();
        let restarted = Gateway::shared(&db).await;
        assert_eq!(restarted.fetch(&acme.resource()).await.status, 401);
        assert_eq!(restarted.fetch(&globex.resource()).await.status, 500);
    }
}

#[tokio::test]
async fn several_processes_may_bring_the_schema_up_to_date_at_once() {
    let db = Database::empty().await;
    let url = db.url();
    let (one, other) = tokio::join!(storage::migrate(url), storage::migrate(url));
    one.unwrap();
    other.unwrap();
    storage::migrate(url).await.unwrap();
}
