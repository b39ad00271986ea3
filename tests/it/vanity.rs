//! A tenant's own host is an origin like the gateway's: a server, its authorization server and its
//! pages are there, and what was given there is good there alone.

mod hosts;
mod spoof;

use axum::body::Body;
use http::Request;
use portico_model::TenantState;
use portico_testkit::{Browser, Client, Connection, Database, Gateway, Person, Tenant};
use serde_json::json;

const HOST: &str = "mcp.acme.example";

struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
    /// The address of the server at its host.
    root: String,
}

impl Scene {
    /// Acme below `/v/acme` and at a host of its own, with a person in `docs`.
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::named(Gateway::shared(&db).await, "acme").await;
        let ada = acme.person("ada").member_of("docs").await;
        let root = acme.add_host(HOST).await;
        Self { db, acme, ada, root }
    }

    /// Another instance, which has read what is in force now.
    async fn instance(&self) -> Gateway {
        self.acme.gateway.with_pool(self.db.pool().await).await
    }

    async fn connect_to(&self, resource: &str) -> Connection {
        self.ada.connect_to(Client::claude(), resource).await
    }
}

async fn status(app: &Connection) -> u16 {
    app.ask("tools/list", json!({})).await.status.as_u16()
}

// cli:14
#[tokio::test]
async fn an_origin_that_is_no_servers_address_names_those_that_are() {
    let db = Database::new().await;
    let acme = Tenant::named(Gateway::shared(&db).await, "acme").await;
    let answer = acme.gateway.post_json(&acme.url("/"), &json!({})).await;
    insta::assert_snapshot!(answer.brief(), @r#"404 {"jsonrpc":"2.0","error":{"code":-32600,"message":"This is no server's address; the server's is https://gateway.example/v/acme/mcp/boards"}}"#);
}

// pre:O4, pre:O21, pre:C3, cli:1, cli:14, mcp:A1, sec:A11
#[tokio::test]
async fn an_app_goes_the_whole_way_at_the_host() {
    let scene = Scene::new().await;
    assert_eq!(scene.root, "https://mcp.acme.example");
    let refused = scene.acme.gateway.post_json(&scene.root, &json!({})).await;
    insta::assert_snapshot!(
        refused.header("www-authenticate").unwrap(),
        @r#"Bearer resource_metadata="https://mcp.acme.example/.well-known/oauth-protected-resource", scope="read write""#
    );

    let app = scene.connect_to(&scene.root).await;

    let known = &app.registered.endpoints;
    assert_eq!(known.issuer, scene.root);
    for (endpoint, path) in [
        (&known.authorization, "/oauth/authorize"),
        (&known.registration, "/oauth/register"),
        (&known.token, "/oauth/token"),
        (&known.revocation, "/oauth/revoke"),
    ] {
        assert_eq!(*endpoint, format!("{HOST_URL}{path}"));
    }
    let none = r#"The workspace "docs" has no boards yet. create_board makes one."#;
    assert_eq!(app.call("list_boards", json!({})).await.to_string(), none);
    assert_eq!(app.per_request().call("list_boards", json!({})).await.to_string(), none);
}

const HOST_URL: &str = "https://mcp.acme.example";

// cli:4, cli:7, mcp:R4
#[tokio::test]
async fn a_slash_at_the_end_of_a_resource_is_no_other_resource() {
    let scene = Scene::new().await;
    for resource in [scene.root.clone(), format!("{}/w/docs.example", scene.root)] {
        let registered = Client::claude().register(&scene.acme.gateway, &resource).await;
        let slash = format!("{resource}/");
        for (asked, exchanged) in [(&slash, &resource), (&resource, &slash)] {
            let ask = registered.ask().with("resource", Some(asked));
            let mut browser = Browser::new(&scene.acme.gateway);
            let callback = scene.ada.allow(&mut browser, &ask).await;
            let code = ask.code(&callback);
            let mut form = ask.exchange_form(&code);
            form.retain(|(name, _)| *name != "resource");
            form.push(("resource", exchanged));
            let answer = scene.acme.gateway.post_form(&registered.endpoints.token, &form).await;
            let gateway = scene.acme.gateway.clone();
            let app = Connection::of_tokens(gateway, registered.clone(), &answer);
            assert_eq!(status(&app).await, 200, "{asked} {exchanged}");
        }
    }
}

// pre:O4
#[tokio::test]
async fn what_was_given_at_one_address_is_nothing_at_another() {
    let scene = Scene::new().await;
    let raw = scene.acme.resource();
    let mut apps = Vec::new();
    for origin in [&raw, &scene.root] {
        for narrowed in ["", "/readonly", "/w/docs.example", "/w/docs.example/readonly"] {
            apps.push(scene.connect_to(&format!("{origin}{narrowed}")).await);
        }
    }
    for holder in &apps {
        for address in &apps {
            let own = &holder.registered.resource;
            let mut app = holder.clone();
            app.registered.resource.clone_from(&address.registered.resource);
            let expected = if *own == app.registered.resource { 200 } else { 401 };
            assert_eq!(status(&app).await, expected, "{own} at {}", app.registered.resource);
            app.registered.resource.push('/');
            assert_eq!(status(&app).await, expected, "{own} at {}", app.registered.resource);
        }
    }
}

// cli:46, mcp:A9
#[tokio::test]
async fn an_origin_gives_nothing_for_another_origin_of_the_same_tenant() {
    let scene = Scene::new().await;
    let raw = Client::claude().register(&scene.acme.gateway, &scene.acme.resource()).await;
    let vanity = Client::claude().register(&scene.acme.gateway, &scene.root).await;
    assert_eq!(raw.id, vanity.id);
    for (here, there) in [(&raw, &vanity), (&vanity, &raw)] {
        let ask = here.ask().with("resource", Some(&there.resource));
        let page = Browser::new(&scene.acme.gateway).open(&ask.url()).await;
        assert!(page.has_left(), "{}", page.answer.body);
        assert_eq!(page.parameter("error").as_deref(), Some("invalid_target"));
        assert_eq!(page.parameter("iss"), Some(here.endpoints.issuer.clone()));

        // A code of the one is worth nothing at the other's token endpoint.
        let ask = here.ask();
        let mut browser = Browser::new(&scene.acme.gateway);
        let code = ask.code(&scene.ada.allow(&mut browser, &ask).await);
        let form = ask.exchange_form(&code);
        let answer = scene.acme.gateway.post_form(&there.endpoints.token, &form).await;
        assert_eq!(answer.json()["error"], "invalid_grant", "{}", answer.body);
        assert_eq!(ask.exchange(&scene.acme.gateway, &code).await.status, 200);
    }
    // Without a resource, the host's own is meant.
    let ask = vanity.ask().with("resource", None);
    let callback = scene.ada.allow(&mut Browser::new(&scene.acme.gateway), &ask).await;
    let answer = ask.exchange(&scene.acme.gateway, &ask.code(&callback)).await;
    let app = Connection::of_tokens(scene.acme.gateway.clone(), vanity, &answer);
    assert_eq!(status(&app).await, 200);
}

// sec:D26
#[tokio::test]
async fn a_client_of_one_tenant_is_a_stranger_at_anothers_host() {
    let scene = Scene::new().await;
    let globex = Tenant::named(scene.acme.gateway.clone(), "globex").await;
    let theirs = globex.add_host("mcp.globex.example").await;
    let mut ask = Client::claude().register(&scene.acme.gateway, &scene.root).await.ask();
    ask.registered.endpoints.authorization = format!("{theirs}/oauth/authorize");
    for resource in [&scene.root, &theirs] {
        let ask = ask.clone().with("resource", Some(resource));
        let page = Browser::new(&scene.acme.gateway).open(&ask.url()).await;
        assert_eq!(page.brief(), "400 This app is not known here");
    }
    // Nor is a token of the one anything at the other.
    let mut app = scene.connect_to(&scene.root).await;
    app.registered.resource = theirs;
    assert_eq!(status(&app).await, 401);
}

#[tokio::test]
async fn a_browser_is_signed_in_at_one_host_and_answers_what_it_was_asked_there() {
    let scene = Scene::new().await;
    let ask = Client::claude().register(&scene.acme.gateway, &scene.root).await.ask();
    let mut browser = Browser::new(&scene.acme.gateway);
    let page = browser.open(&ask.url()).await;
    let page = scene.ada.sign_in(&mut browser, &page).await;
    assert_eq!(page.url.host_str(), Some(HOST));
    assert!(page.has_button("Allow"), "{}", page.answer.body);

    let panel = browser.open(&format!("{}/connections", scene.root)).await;
    assert_eq!(panel.brief(), "200 Your connections");
    let elsewhere = browser.open(&scene.acme.url("/connections")).await;
    assert!(elsewhere.has_button("Sign in"), "{}", elsewhere.answer.body);

    let same = page.url.path().to_owned() + "?" + page.url.query().unwrap_or_default();
    scene.ada.sign_in(&mut browser, &elsewhere).await;
    let moved = browser.open(&scene.acme.url(&same)).await;
    assert_eq!(moved.brief(), "403 This request began in another browser");
    assert!(browser.press(&page, "Allow", &[]).await.has_left());
}

// sec:A11, cli:4, cli:5, cli:9, cli:14, mcp:R3
#[tokio::test]
async fn documents_at_the_host_speak_of_the_host_alone() {
    let scene = Scene::new().await;
    let well_known = format!("{}/.well-known", scene.root);
    let document =
        scene.acme.gateway.fetch(&format!("{well_known}/oauth-authorization-server")).await.json();
    for (name, value) in document.as_object().unwrap() {
        let is_address = name == "issuer" || name.ends_with("_endpoint");
        let is_here = value.as_str().is_some_and(|it| it.starts_with(&scene.root));
        assert_eq!(is_here, is_address, "{name}");
    }
    assert_eq!(document["issuer"], scene.root);
    for (path, resource) in [
        ("", Some("")),
        ("/", Some("/")),
        ("/readonly", Some("/readonly")),
        ("/readonly/", Some("/readonly/")),
        ("/w/docs.example", Some("/w/docs.example")),
        ("/w/any%20name/readonly", Some("/w/any%20name/readonly")),
        ("/mcp/boards", None),
        ("/w", None),
        ("/other", None),
    ] {
        let url = format!("{well_known}/oauth-protected-resource{path}");
        let answer = scene.acme.gateway.fetch(&url).await;
        match resource {
            Some(resource) => {
                let document = answer.json();
                assert_eq!(document["resource"], format!("{}{resource}", scene.root));
                assert_eq!(document["authorization_servers"], json!([scene.root]));
                let only_reads = path.contains("readonly");
                let scopes = if only_reads { json!(["read"]) } else { json!(["read", "write"]) };
                assert_eq!(document["scopes_supported"], scopes, "{path}");
            }
            None => assert_eq!(answer.brief(), NOTHING, "{path}"),
        }
    }
    for path in ["oauth-authorization-server/mcp/boards", "openid-configuration", "anything"] {
        let answer = scene.acme.gateway.fetch(&format!("{well_known}/{path}")).await;
        assert_eq!(answer.brief(), NOTHING, "{path}");
    }
}

const NOTHING: &str =
    r#"404 {"error":"not_found","error_description":"there is nothing at this address"}"#;

// pre:O21, pre:C3, cli:11, cli:12
#[tokio::test]
async fn a_server_has_one_address_at_its_host() {
    let scene = Scene::new().await;
    let mut told = Vec::new();
    for (method, path) in [
        ("POST", ""),
        ("HEAD", "/"),
        ("GET", "/"),
        ("POST", "/readonly/"),
        ("POST", "/mcp/boards"),
        ("POST", "/mcp"),
        ("POST", "/w"),
        ("POST", "/w/a/b"),
        ("POST", "/v/acme/mcp/boards"),
    ] {
        let url = format!("{}{path}", scene.root);
        let request = Request::builder().method(method).uri(url);
        let answer = scene.acme.gateway.send(request.body(Body::empty()).unwrap()).await;
        let challenge = answer.header("www-authenticate").unwrap_or("-");
        let document = challenge.split('"').nth(1).unwrap_or("-");
        told.push(format!("{} {method} {path} {document}", answer.status.as_u16()));
    }
    insta::assert_snapshot!(told.join("\n"), @r"
    401 POST  https://mcp.acme.example/.well-known/oauth-protected-resource
    401 HEAD / https://mcp.acme.example/.well-known/oauth-protected-resource
    401 GET / https://mcp.acme.example/.well-known/oauth-protected-resource
    401 POST /readonly/ https://mcp.acme.example/.well-known/oauth-protected-resource/readonly/
    404 POST /mcp/boards -
    404 POST /mcp -
    404 POST /w -
    404 POST /w/a/b -
    404 POST /v/acme/mcp/boards -
    ");
}

#[tokio::test]
async fn a_suspended_tenant_is_suspended_at_its_host() {
    let scene = Scene::new().await;
    let app = scene.connect_to(&scene.root).await;
    scene.acme.set_state(TenantState::Suspended).await;
    let refused = app.ask("tools/list", json!({})).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let document = format!("{}/.well-known/oauth-authorization-server", scene.root);
    let answer = scene.acme.gateway.fetch(&document).await;
    assert_eq!(answer.json()["error"], "access_denied", "{}", answer.body);
    scene.acme.set_state(TenantState::Live).await;
    assert_eq!(status(&app).await, 200);
}
