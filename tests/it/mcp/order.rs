//! The order of checks: server, origin, token, method, size, message.

use std::convert::Infallible;
use std::task::Poll;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::{Method, Request, header};
use serde_json::json;

use super::{LIST, World, whole};

// pre:C3
#[tokio::test]
async fn a_server_that_is_not_declared_is_not_there_whoever_asks() {
    let world = World::new().await;
    let expected = "404\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"There is no server at this address\"}}";

    for path in ["/mcp/board", "/mcp/Boards", "/mcp/boards/x", "/mcp/%ff", "/mcp/"] {
        for token in [None, Some(world.bearer())] {
            let mut request = Request::post(world.acme.url(path));
            if let Some(token) = &token {
                request = request.header(header::AUTHORIZATION, token);
            }
            let answer = world.acme.gateway.send(request.body(Body::from(LIST)).unwrap()).await;
            assert_eq!(whole(&answer), expected, "{path}");
        }
    }
}

// pre:C5, mcp:H2, sec:J01
#[tokio::test]
async fn a_browser_s_page_is_refused_before_its_token_is_looked_at() {
    let world = World::new().await;
    let bearer = world.bearer();
    let expected = "403\n{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"This origin may not call the server\"}}";

    for origin in ["https://evil.example", "null", portico_testkit::ORIGIN] {
        for headers in
            [vec![("origin", origin)], vec![("origin", origin), ("authorization", bearer.as_str())]]
        {
            for method in [Method::POST, Method::GET, Method::OPTIONS] {
                let answer = world.send(method, &headers).await;
                assert_eq!(whole(&answer), expected, "{headers:?}");
            }
        }
    }
}

// pre:O2, pre:O3, mcp:H3, mcp:H4, mcp:R2, mcp:R6, cli:11, cli:12, cli:73
#[tokio::test]
async fn other_methods_are_refused_for_their_token_first() {
    let world = World::new().await;
    let bearer = world.bearer();

    let without = world.send(Method::GET, &[]).await;
    insta::assert_snapshot!(whole(&without), @r#"
    401
    www-authenticate: Bearer resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards", scope="read write"
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Sign in first: no access token was sent"}}
    "#);
    let with = world.send(Method::GET, &[("authorization", &bearer)]).await;
    insta::assert_snapshot!(whole(&with), @r#"
    405
    allow: POST
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Send messages by POST"}}
    "#);
    for method in [Method::POST, Method::DELETE, Method::PUT, Method::OPTIONS] {
        let answer = world.send(method.clone(), &[]).await;
        assert_eq!(whole(&answer), whole(&without), "{method}");
    }
    for method in [Method::DELETE, Method::PUT, Method::OPTIONS] {
        let answer = world.send(method.clone(), &[("authorization", &bearer)]).await;
        assert_eq!(whole(&answer), whole(&with), "{method}");
    }
    let head = world.send(Method::HEAD, &[("authorization", &bearer)]).await;
    assert_eq!(whole(&head), "405\nallow: POST\n");
    let head = world.send(Method::HEAD, &[]).await;
    insta::assert_snapshot!(whole(&head), @r#"
    401
    www-authenticate: Bearer resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards", scope="read write"
    "#);
}

// cli:4, cli:16, mcp:R3
#[tokio::test]
async fn a_slash_at_the_end_is_the_same_server_with_a_document_of_that_spelling() {
    let world = World::new().await;
    let url = format!("{}/", world.acme.resource());
    let post = |token: Option<String>| {
        let mut request = Request::post(&url).header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, token);
        }
        request.body(Body::from(LIST)).unwrap()
    };

    let without = world.acme.gateway.send(post(None)).await;
    insta::assert_snapshot!(without.header("www-authenticate").unwrap(), @r#"Bearer resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards/", scope="read write""#);
    let with = world.acme.gateway.send(post(Some(world.bearer()))).await;
    assert_eq!(with.body, world.claude.send(LIST, &[]).await.body);
}

/// A body that must not be read.
fn forbidden() -> Body {
    Body::from_stream(stream::poll_fn(|_| -> Poll<Option<Result<Bytes, Infallible>>> {
        panic!("the body was read")
    }))
}

// sec:J12, mcp:R7
#[tokio::test]
async fn a_stranger_s_body_is_not_read() {
    let world = World::new().await;
    let refused = world.send(Method::POST, &[("authorization", "Bearer guess")]).await;
    assert_eq!(refused.status, 401);

    for token in ["Bearer guess", "Bearer portico_at_guess", "Bearer"] {
        let request = Request::post(world.acme.resource())
            .header(header::AUTHORIZATION, token)
            .header(header::CONTENT_TYPE, "application/json");
        let answer = world.acme.gateway.send(request.body(forbidden()).unwrap()).await;
        assert_eq!(whole(&answer), whole(&refused), "{token}");
    }
}

// sec:J22, sec:J11, mcp:H8
#[tokio::test]
async fn a_message_is_json_and_one_mebibyte_at_most() {
    let world = World::new().await;
    let bearer = world.bearer();
    let post = |kind: &'static str, body: String| {
        Request::post(world.acme.resource())
            .header(header::AUTHORIZATION, &bearer)
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body))
            .unwrap()
    };
    let padded = |length: usize| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        format!("{body}{}", " ".repeat(length - body.len()))
    };
    let gateway = &world.acme.gateway;
    let pong = r#"200 {"jsonrpc":"2.0","id":1,"result":{}}"#;

    for (kind, length, expected) in [
        ("application/json; charset=utf-8", 100, pong),
        ("application/json", 64 * 1024 + 1, pong),
        ("application/json", 1024 * 1024, pong),
        (
            "application/json",
            1024 * 1024 + 1,
            r#"413 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a message is 1 MiB at most"}}"#,
        ),
        (
            "text/plain",
            100,
            r#"415 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: send application/json"}}"#,
        ),
    ] {
        let answer = gateway.send(post(kind, padded(length))).await;
        assert_eq!(answer.brief(), expected, "{kind} {length}");
    }
}

// cli:70, mcp:H7
#[tokio::test]
async fn an_answer_is_json_whatever_a_client_says_it_reads() {
    let world = World::new().await;
    let bearer = world.bearer();
    let send = |accept: Option<&'static str>| {
        let mut headers = vec![("authorization", bearer.as_str())];
        headers.extend(accept.map(|accept| ("accept", accept)));
        let request = world.request(Method::POST, &headers);
        let gateway = &world.acme.gateway;
        async move { gateway.send(request).await }
    };
    let expected = send(None).await;
    assert_eq!((expected.status.as_u16(), expected.is_json()), (200, true));

    for accept in [
        "application/json, text/event-stream",
        "text/event-stream, application/json",
        "application/json",
        "text/event-stream",
        "*/*",
        "text/html, */*;q=0.1",
    ] {
        let answer = send(Some(accept)).await;
        assert_eq!((answer.is_json(), whole(&answer)), (true, whole(&expected)), "{accept}");
    }
    insta::assert_snapshot!(whole(&send(Some("text/html")).await), @r#"
    406
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: accept application/json"}}
    "#);
}

// mcp:R7, mcp:H9
#[tokio::test]
async fn what_is_wrong_with_a_message_is_told_only_to_those_who_may_send_one() {
    let world = World::new().await;
    let broken = world.claude.send("{bad", &[]).await;
    assert_eq!(
        broken.brief(),
        r#"400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#
    );

    world.db.execute("update connections set ended_at = now(), end_reason = 'person'").await;

    let refused = world.claude.ask("ping", json!({})).await;
    assert_eq!(refused.status, 401);
    for body in ["{bad", "[]", r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#] {
        let answer = world.claude.send(body, &[]).await;
        assert_eq!(whole(&answer), whole(&refused), "{body}");
    }
    let large = world.claude.send(&" ".repeat(1024 * 1024 + 1), &[]).await;
    assert_eq!(whole(&large), whole(&refused));
}
