//! Nothing is built from what a request says its host is: it chooses one of those that are known.

use axum::body::Body;
use http::{Request, header};
use portico_testkit::{Answer, ORIGIN};
use serde_json::json;

use super::{HOST, Scene};

async fn named(scene: &Scene, method: &str, path: &str, host: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).header(header::HOST, host);
    scene.acme.gateway.send(request.body(Body::empty()).unwrap()).await
}

// pre:O21, sec:A01
#[tokio::test]
async fn an_unknown_host_is_told_so_in_the_words_of_its_path_and_hears_its_name_nowhere() {
    let scene = Scene::new().await;
    let declared = scene
        .acme
        .document_with_host("unproved.example")
        .replace("hosts = [\"", &format!("hosts = [\"{HOST}\", \""));
    scene.acme.apply(&declared).await;
    let mut told = Vec::new();
    for (method, path) in [
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/oauth-protected-resource/v/acme/mcp/boards"),
        ("POST", "/v/acme/mcp/boards"),
        ("POST", "/"),
        ("POST", "/w/docs"),
        ("POST", "/v/acme/oauth/token"),
        ("GET", "/v/acme/connections"),
    ] {
        let first = named(&scene, method, path, "evil.test").await;
        for host in ["unproved.example", "mcp.acme.example.evil.test", "mcp.acme.example:8443"] {
            let other = named(&scene, method, path, host).await;
            assert_eq!(other.brief(), first.brief(), "{host}");
        }
        assert_eq!(first.body.matches("evil").count(), 0, "{}", first.body);
        let title = first.body.split_once("<title>").map(|(_, rest)| rest.split_once('<').unwrap());
        let said = title.map_or(first.body.as_str(), |(title, _)| title);
        told.push(format!("{} {method} {path}: {said}", first.status.as_u16()));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    421 GET /.well-known/oauth-authorization-server: {"error":"invalid_request","error_description":"no such host is served here"}
    421 GET /.well-known/oauth-protected-resource/v/acme/mcp/boards: {"error":"invalid_request","error_description":"no such host is served here"}
    421 POST /v/acme/mcp/boards: {"jsonrpc":"2.0","error":{"code":-32600,"message":"No such host is served here"}}
    421 POST /: {"jsonrpc":"2.0","error":{"code":-32600,"message":"No such host is served here"}}
    421 POST /w/docs: {"jsonrpc":"2.0","error":{"code":-32600,"message":"No such host is served here"}}
    421 POST /v/acme/oauth/token: {"error":"invalid_request","error_description":"no such host is served here"}
    421 GET /v/acme/connections: This cannot be answered · Portico
    "#);
}

// sec:A05
#[tokio::test]
async fn a_host_is_the_same_however_it_is_written_and_another_with_a_dot_behind_it() {
    let scene = Scene::new().await;
    let path = "/.well-known/oauth-authorization-server";
    let own = named(&scene, "GET", path, HOST).await;
    assert_eq!(own.json()["issuer"], scene.root);
    for host in ["MCP.ACME.EXAMPLE", "mcp.acme.example:443"] {
        assert_eq!(named(&scene, "GET", path, host).await.brief(), own.brief(), "{host}");
    }
    let long = format!("{}.example", "a".repeat(300));
    for host in [
        "mcp.acme.example.",
        "mcp.acme.example:99999",
        "mcp.acme.example:",
        "u@mcp.acme.example",
        "mcp.acme.example/x",
        "a/b@c",
        "mcp.acme.example x",
        "",
        &long,
    ] {
        assert_eq!(named(&scene, "GET", path, host).await.status, 400, "{host:?}");
    }
}

// sec:A03, sec:A06
#[tokio::test]
async fn two_hosts_in_one_request_are_refused() {
    let scene = Scene::new().await;
    let path = "/.well-known/oauth-authorization-server";
    let twice = Request::get(path).header(header::HOST, HOST).header(header::HOST, "evil.test");
    let answer = scene.acme.gateway.send(twice.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, 400, "{}", answer.body);
}

// sec:A07
#[tokio::test]
async fn what_proxies_forward_as_the_host_is_not_looked_at() {
    let scene = Scene::new().await;
    let ask = portico_testkit::Client::claude().register(&scene.acme.gateway, &scene.root).await;
    let authorize = ask.ask().with("client_id", Some("nobody")).url();
    for origin in [scene.root.as_str(), ORIGIN] {
        let below = if origin == ORIGIN { "/v/acme" } else { "" };
        let endpoint = if origin == ORIGIN { "/v/acme/mcp/boards" } else { "/" };
        for (method, url) in [
            ("GET", format!("{origin}/.well-known/oauth-authorization-server{below}")),
            (
                "GET",
                format!(
                    "{origin}/.well-known/oauth-protected-resource{}",
                    endpoint.trim_end_matches('/')
                ),
            ),
            ("POST", format!("{origin}{endpoint}")),
            ("GET", authorize.clone()),
        ] {
            let request = |spoofs: &[(&'static str, &str)]| {
                let mut request = Request::builder().method(method).uri(&url);
                for (name, value) in spoofs {
                    request = request.header(*name, *value);
                }
                request.body(Body::empty()).unwrap()
            };
            let plain = scene.acme.gateway.send(request(&[])).await;
            let spoofed = scene.acme.gateway.send(request(&[
                ("x-forwarded-host", "evil.test"),
                ("x-forwarded-proto", "http"),
                ("x-forwarded-port", "81"),
                ("forwarded", "host=evil.test;proto=http"),
                ("x-original-host", "evil.test"),
            ]));
            let spoofed = spoofed.await;
            assert_eq!(spoofed.brief(), plain.brief(), "{method} {url}");
            let challenge = plain.header("www-authenticate");
            assert_eq!(spoofed.header("www-authenticate"), challenge, "{method} {url}");
        }
    }
    let refused = scene.acme.gateway.post_json(&scene.root, &json!({})).await;
    assert_eq!(refused.status, 401);
}
