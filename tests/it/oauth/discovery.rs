//! How clients find their way, and what of it scripts may read.

use axum::body::Body;
use http::{Method, Request};
use portico_testkit::{Database, Gateway, ORIGIN, Tenant};

// cli:4, cli:5, cli:9, mcp:R3, mcp:A1
#[tokio::test]
async fn documents_are_where_they_belong_and_nowhere_else() {
    let db = Database::new().await;
    let shared = Gateway::shared(&db).await;
    Tenant::named(shared.clone(), "acme").await;
    let acme = Tenant::new(&db).await;
    let nothing = r#"{"error":"not_found","error_description":"there is nothing at this address"}"#;
    for (gateway, path, found) in [
        (&acme.gateway, "oauth-protected-resource/mcp/boards", true),
        (&acme.gateway, "oauth-protected-resource/mcp/boards/", true),
        (&acme.gateway, "oauth-protected-resource", true),
        (&acme.gateway, "oauth-authorization-server", true),
        (&acme.gateway, "oauth-protected-resource/mcp/other", false),
        (&acme.gateway, "oauth-protected-resource/other", false),
        (&acme.gateway, "oauth-authorization-server/mcp/boards", false),
        (&acme.gateway, "oauth-authorization-server/v/acme", false),
        (&acme.gateway, "openid-configuration", false),
        (&acme.gateway, "openid-configuration/mcp/boards", false),
        (&acme.gateway, "anything", false),
        (&shared, "oauth-protected-resource/v/acme/mcp/boards", true),
        (&shared, "oauth-authorization-server/v/acme", true),
        (&shared, "oauth-authorization-server", false),
        (&shared, "oauth-protected-resource/mcp/boards", false),
        (&shared, "oauth-authorization-server/v/globex", false),
    ] {
        let answer = gateway.fetch(&format!("{ORIGIN}/.well-known/{path}")).await;
        if found {
            let status = (answer.status.as_u16(), answer.header("content-type"));
            assert_eq!(status, (200, Some("application/json")), "{path}");
        } else {
            assert_eq!(answer.brief(), format!("404 {nothing}"), "{path}");
        }
    }
}

// cli:4, cli:14, sec:A11
#[tokio::test]
async fn every_document_speaks_of_the_address_it_was_fetched_for() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let acme = Tenant::named(gateway.clone(), "acme").await;
    let issuer = gateway.issuer("acme").as_str().to_owned();
    let about = format!("{ORIGIN}/.well-known/oauth-protected-resource/v/acme/mcp/boards");
    for (url, resource) in
        [(about.clone(), acme.resource()), (format!("{about}/"), format!("{}/", acme.resource()))]
    {
        let document = gateway.fetch(&url).await.json();
        assert_eq!(document["resource"], resource);
        assert_eq!(document["authorization_servers"][0], issuer);
    }
    let document = format!("{ORIGIN}/.well-known/oauth-authorization-server/v/acme");
    assert_eq!(gateway.fetch(&document).await.json()["issuer"], issuer);
}

// cli:18, mcp:R13, sec:A16
#[tokio::test]
async fn scripts_may_read_what_is_for_clients_and_no_page() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let mut allowed = Vec::new();
    for (method, path) in [
        (Method::OPTIONS, "/.well-known/oauth-protected-resource/mcp/boards"),
        (Method::GET, "/.well-known/oauth-authorization-server"),
        (Method::POST, "/.well-known/oauth-authorization-server"),
        (Method::OPTIONS, "/oauth/register"),
        (Method::POST, "/oauth/register"),
        (Method::OPTIONS, "/oauth/token"),
        (Method::POST, "/oauth/token"),
        (Method::GET, "/oauth/token"),
        (Method::OPTIONS, "/oauth/revoke"),
        (Method::POST, "/oauth/revoke"),
        (Method::OPTIONS, "/oauth/authorize"),
        (Method::GET, "/oauth/authorize"),
        (Method::OPTIONS, "/consent"),
    ] {
        let request = Request::builder()
            .method(method.clone())
            .uri(path)
            .header("origin", "https://evil.test")
            .header("access-control-request-method", "POST");
        let answer = acme.gateway.send(request.body(Body::empty()).unwrap()).await;
        let header = |name: &str| answer.header(name).unwrap_or("-").to_owned();
        if answer.status == 204 {
            let headers = header("access-control-allow-headers");
            assert_eq!(
                headers,
                "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, \
                 mcp-session-id, last-event-id",
                "{path}"
            );
        }
        allowed.push(format!(
            "{} {method} {path}: {} {}",
            answer.status.as_u16(),
            header("access-control-allow-origin"),
            header("access-control-allow-credentials"),
        ));
    }
    insta::assert_snapshot!(allowed.join("\n"), @r#"
    204 OPTIONS /.well-known/oauth-protected-resource/mcp/boards: * -
    200 GET /.well-known/oauth-authorization-server: * -
    405 POST /.well-known/oauth-authorization-server: * -
    204 OPTIONS /oauth/register: * -
    415 POST /oauth/register: * -
    204 OPTIONS /oauth/token: * -
    400 POST /oauth/token: * -
    405 GET /oauth/token: * -
    204 OPTIONS /oauth/revoke: * -
    400 POST /oauth/revoke: * -
    405 OPTIONS /oauth/authorize: - -
    400 GET /oauth/authorize: - -
    405 OPTIONS /consent: - -
    "#);
}

#[tokio::test]
async fn another_method_is_refused_in_words() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let mut answers = Vec::new();
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp/boards",
        "/oauth/authorize",
        "/connections",
    ] {
        let answer = acme.gateway.post_form(path, &[]).await;
        let title =
            answer.body.split_once("<title>").map(|(_, rest)| rest.split_once('<').unwrap());
        let said = title.map_or(answer.body.as_str(), |(title, _)| title);
        let allowed = answer.header("allow").unwrap_or("-");
        answers.push(format!("{} {allowed} {path}: {said}", answer.status.as_u16()));
    }
    insta::assert_snapshot!(answers.join("\n"), @r#"
    405 GET,HEAD /.well-known/oauth-authorization-server: {"error":"invalid_request","error_description":"the method must be GET"}
    405 GET,HEAD /.well-known/oauth-protected-resource: {"error":"invalid_request","error_description":"the method must be GET"}
    405 GET,HEAD /.well-known/oauth-protected-resource/mcp/boards: {"error":"invalid_request","error_description":"the method must be GET"}
    405 GET,HEAD /oauth/authorize: This address is opened, not sent to · Acme
    405 GET,HEAD /connections: This address is opened, not sent to · Acme
    "#);
}
