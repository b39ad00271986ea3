//! Whose token is good, and what the others are told.

use std::time::Duration;

use http::Method;
use portico_model::{Kind, PlainToken, TenantState};
use portico_storage as storage;
use portico_testkit::{Answer, Client, Database, Gateway, Tenant};
use serde_json::json;

use super::{World, whole};

const REFUSED: &str = r#"401
www-authenticate: Bearer error="invalid_token", error_description="the token is not valid here", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards", scope="read write"
{"jsonrpc":"2.0","error":{"code":-32600,"message":"Sign in again: the access token is not valid here"}}"#;

async fn ping(world: &World) -> Answer {
    world.claude.ask("ping", json!({})).await
}

// mcp:R6, mcp:R7, mcp:R9, sec:I02, sec:I05
#[tokio::test]
async fn what_is_no_token_of_ours_is_refused_in_the_same_words() {
    let world = World::new().await;
    let token = world.claude.token.as_str();
    let minted = |kind| PlainToken::mint(kind, [7; 32]).expose().to_owned();

    for header in [
        format!("Bearer {}", minted(Kind::AccessToken)),
        format!("Bearer {}", minted(Kind::Code)),
        format!("Bearer {}", minted(Kind::RefreshToken)),
        format!("Bearer {}", world.claude.registered.id),
        format!("Bearer  {token}"),
        format!("Bearer {token},"),
        format!("Bearer {token}x"),
        format!("Bearer {}", &token[..token.len() - 1]),
        format!("Bearer {token}, Bearer {token}"),
        "Bearer".to_owned(),
    ] {
        let answer = world.send(Method::POST, &[("authorization", &header)]).await;
        assert_eq!(whole(&answer), REFUSED, "{header}");
    }
}

// mcp:R7, sec:I12
#[tokio::test]
async fn a_token_that_is_not_good_any_more_is_refused_in_the_same_words() {
    for ending in [
        "update connections set ended_at = now(), end_reason = 'person'",
        "update people set disabled_at = now()",
        "update access_tokens set expires_at = now()",
        "update connections set resource = 'https://gateway.example/mcp/others'",
    ] {
        let world = World::new().await;
        assert_eq!(ping(&world).await.status, 200);

        world.db.execute(ending).await;

        assert_eq!(whole(&ping(&world).await), REFUSED, "{ending}");
    }
}

// Where a sign-in cannot help, nobody is sent to one.
#[tokio::test]
async fn a_good_token_is_told_that_the_tenant_is_suspended_and_is_good_again_afterwards() {
    let world = World::new().await;
    let guess = world.request(Method::POST, &[("authorization", "Bearer guess")]);

    world.acme.set_state(TenantState::Suspended).await;

    insta::assert_snapshot!(whole(&ping(&world).await), @r#"
    403
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"This service is suspended at the moment"}}
    "#);
    let bearer = world.bearer();
    let get = world.send(Method::GET, &[("authorization", &bearer)]).await;
    assert_eq!(whole(&get), whole(&ping(&world).await));
    assert_eq!(whole(&world.acme.gateway.send(guess).await), REFUSED);
    world.db.execute("update access_tokens set expires_at = now()").await;
    assert_eq!(whole(&ping(&world).await), REFUSED);

    world.db.execute("update access_tokens set expires_at = null").await;
    world.acme.set_state(TenantState::Live).await;
    assert_eq!(ping(&world).await.status, 200);
}

// mcp:A12
#[tokio::test]
async fn a_token_expires_by_the_database_s_clock() {
    let world = World::new().await;
    let gateway = &world.acme.gateway;

    let before = gateway.later(&world.db, Duration::from_mins(8 * 60 - 1)).await;
    let after = gateway.later(&world.db, Duration::from_hours(8)).await;

    let app = world.claude.clone();
    assert_eq!(app.clone().before(&before).ask("ping", json!({})).await.status, 200);
    assert_eq!(whole(&app.before(&after).ask("ping", json!({})).await), REFUSED);
}

// sec:I11
#[tokio::test]
async fn no_verdict_about_a_token_is_remembered() {
    let world = World::new().await;
    let unused = PlainToken::mint(Kind::AccessToken, [9; 32]);
    let mut app = world.claude.clone();
    unused.expose().clone_into(&mut app.token);
    let ping = || async { app.ask("ping", json!({})).await };
    assert_eq!(whole(&ping().await), REFUSED);

    let mut conn = storage::acquire(world.acme.gateway.pool()).await.unwrap();
    let known = PlainToken::parse(Kind::AccessToken, &world.claude.token).unwrap().hash();
    let unneeded = storage::admit::Reference::Unneeded;
    let pool = world.acme.gateway.pool();
    let admission = storage::admit::admit(pool, world.acme.id, &known, unneeded).await.unwrap();
    let connection = admission.unwrap().connection;
    let hash = unused.hash();
    storage::access_token::insert(&mut conn, world.acme.id, &hash, connection, None).await.unwrap();
    drop(conn);

    assert_eq!(ping().await.status, 200);
    world.db.execute("update connections set ended_at = now(), end_reason = 'person'").await;
    assert_eq!(whole(&ping().await), REFUSED);
}

// sec:I12
#[tokio::test]
async fn a_token_is_good_at_its_own_address_letter_for_letter() {
    let world = World::new().await;
    let bearer = world.bearer();
    for path in [
        "/mcp/boards2",
        "/mcp/board",
        "/mcp/boards/x",
        "/mcp/x/../boards",
        "/mcp/boards/..",
        "/mcp/boards/../boards",
        "//mcp/boards",
        "/mcp//boards",
        "/mcp/boards//",
        "/MCP/boards",
        "/mcp/boards%2f",
    ] {
        let mut request = world.request(Method::POST, &[("authorization", &bearer)]);
        *request.uri_mut() = path.parse().unwrap();
        assert_eq!(world.acme.gateway.send(request).await.status, 404, "{path}");
    }
}

// mcp:R8, sec:K01
#[tokio::test]
async fn a_token_of_one_tenant_is_nothing_at_another() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let acme = Tenant::named(gateway.clone(), "acme").await;
    let other = Tenant::named(gateway, "other").await;
    let ada = acme.person("ada").member_of("docs").await;
    let mut claude = ada.connect(Client::claude()).await;
    assert_eq!(claude.ask("ping", json!({})).await.status, 200);

    claude.registered.resource = other.resource();

    let answer = claude.ask("ping", json!({})).await;
    insta::assert_snapshot!(whole(&answer), @r#"
    401
    www-authenticate: Bearer error="invalid_token", error_description="the token is not valid here", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/v/other/mcp/boards", scope="read write"
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Sign in again: the access token is not valid here"}}
    "#);
}

// mcp:R9, pre:O1, sec:I04
#[tokio::test]
async fn a_token_is_taken_from_one_authorization_header_and_from_nowhere_else() {
    let world = World::new().await;
    let bearer = world.bearer();

    let twice = [("authorization", bearer.as_str()), ("authorization", bearer.as_str())];
    insta::assert_snapshot!(whole(&world.send(Method::POST, &twice).await), @r#"
    400
    www-authenticate: Bearer error="invalid_request"
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Send one Authorization header, and no token beside it"}}
    "#);

    let mut request = world.request(Method::POST, &[]);
    let url = format!("{}?access_token={}", world.acme.resource(), world.claude.token);
    *request.uri_mut() = url.parse().unwrap();
    let in_address = world.acme.gateway.send(request).await;
    assert_eq!(whole(&in_address), whole(&world.send(Method::POST, &[]).await));
    assert_eq!(in_address.status, 401);
    let mut request = world.request(Method::POST, &[("authorization", &bearer)]);
    *request.uri_mut() = url.parse().unwrap();
    let in_both = world.acme.gateway.send(request).await;
    assert_eq!(whole(&in_both), whole(&world.send(Method::POST, &twice).await));
}

// mcp:R10, cli:77, sec:I08
#[tokio::test]
async fn a_connection_that_lacks_a_scope_is_told_all_that_a_new_one_needs() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude().asking_for("read")).await;

    let reading = claude.call("list_boards", json!({})).await;
    let writing = claude.call("create_board", json!({ "title": "Plans" })).await;

    assert!(!reading.is_error(), "{reading}");
    insta::assert_snapshot!(whole(&writing.0), @r#"
    403
    www-authenticate: Bearer error="insufficient_scope", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards", scope="read write"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"create_board needs a connection with read write; connect again and allow it"}}
    "#);
}

// sec:I10
#[tokio::test]
async fn while_the_database_is_away_nobody_is_told_to_sign_in_again() {
    let world = World::new().await;
    let gateway = world.acme.gateway.with_pool(world.db.pool().await).await;
    let app = world.claude.clone().before(&gateway);
    assert_eq!(app.ask("ping", json!({})).await.status, 200);

    gateway.pool().close().await;

    insta::assert_snapshot!(whole(&app.ask("ping", json!({})).await), @r#"
    503
    retry-after: 2
    {"jsonrpc":"2.0","error":{"code":-32603,"message":"The gateway cannot answer at the moment; try again in a few seconds"}}
    "#);
    let guess = world.request(Method::POST, &[("authorization", "Bearer guess")]);
    assert_eq!(whole(&gateway.send(guess).await), REFUSED);
}

// pre:O2
#[tokio::test]
async fn a_person_who_opens_the_address_in_a_browser_is_told_what_it_is() {
    let world = World::new().await;
    let browsers = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let own = format!("Bearer {}", world.claude.token);

    let page = world.send(Method::GET, &[browsers]).await;
    let home = world.acme.gateway.fetch(&world.acme.url("/")).await;
    assert_eq!((page.status, &page.body), (home.status, &home.body));
    for (method, headers, status) in [
        (Method::GET, &[("accept", "text/event-stream")][..], 401),
        (Method::GET, &[("accept", "application/json, text/html")], 401),
        (Method::GET, &[], 401),
        (Method::POST, &[browsers], 401),
        (Method::GET, &[browsers, ("authorization", &own)], 405),
    ] {
        let answer = world.send(method.clone(), headers).await;
        assert_eq!(answer.status, status, "{method} {headers:?}");
    }
}
