use http::HeaderValue;
use proptest::prelude::*;

use super::*;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const NOTICE: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn stating(version: Option<&str>) -> HeaderMap {
    let named = |it| ("mcp-protocol-version".parse().unwrap(), HeaderValue::from_str(it).unwrap());
    version.map(named).into_iter().collect()
}

/// What reading came to, a line for each element.
fn outcome(version: Option<&str>, body: &str) -> String {
    match read(&stating(version), body.as_bytes()) {
        Ok(Incoming::One(_)) => "one".to_owned(),
        Ok(Incoming::Batch(elements)) => elements.iter().map(line).collect::<Vec<_>>().join("\n"),
        Err(rejection) => format!("{} {}", rejection.status().as_u16(), rejection.body()),
    }
}

fn line(element: &Result<Message<'_>, Rejection>) -> String {
    match element {
        Ok(Message::Notice) => "notice".to_owned(),
        Ok(Message::Request(it)) => format!("{} {}", it.revision, it.id.as_json()),
        Err(it) => it.body(),
    }
}

// mcp:H11, mcp:M18, sec:J06
#[test]
fn several_messages_come_in_one_body_only_where_the_revision_has_that() {
    let batch = format!("[{PING}]");
    for version in [None, Some("2025-03-26")] {
        assert_eq!(outcome(version, &batch), "2025-03-26 1", "{version:?}");
        assert_eq!(outcome(version, PING), "one", "{version:?}");
    }
    let refused = r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: this revision of the protocol has no batches"}}"#;
    for version in
        ["2025-06-18", "2025-11-25", "2026-07-28", "2024-11-05", "2099-01-01", "2025-03-26, x", ""]
    {
        assert_eq!(outcome(Some(version), &batch), refused, "{version}");
        assert_eq!(outcome(Some(version), "[]"), refused, "{version}");
    }
}

// mcp:H11, mcp:M18, sec:J06
#[test]
fn a_batch_is_refused_whole_where_none_of_it_may_run() {
    let many = |count: usize| format!("[{}]", vec![PING; count].join(","));
    let stated = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    let discover = r#"{"jsonrpc":"2.0","id":2,"method":"server/discover"}"#;
    assert_eq!(outcome(None, &many(50)).lines().count(), 50);

    for (body, expected) in [
        ("[]".to_owned(), "Invalid request: the batch is empty"),
        (many(51), "Invalid request: a batch has 50 messages at most"),
        (
            format!("[{}1]", "1,".repeat(100_000)),
            "Invalid request: a batch has 50 messages at most",
        ),
        (
            format!("[{PING},{stated}]"),
            "Invalid request: a request that states its revision does not come in a batch",
        ),
        (
            format!("[{PING},{discover}]"),
            "Invalid request: a request that states its revision does not come in a batch",
        ),
    ] {
        let expected =
            format!(r#"400 {{"jsonrpc":"2.0","error":{{"code":-32600,"message":"{expected}"}}}}"#);
        assert_eq!(outcome(None, &body), expected);
    }
    assert_eq!(
        outcome(None, "[{bad]"),
        r#"400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#
    );
}

// mcp:H11, sec:J06
#[test]
fn what_is_wrong_with_an_element_is_told_in_its_place() {
    let initialize = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
    let response = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
    let unknown = r#"{"jsonrpc":"2.0","id":"u","method":"resources/list"}"#;
    let body =
        format!("[{PING},{NOTICE},7,[{PING}],[],{initialize},{response},{unknown},null,{PING}]");

    insta::assert_snapshot!(outcome(None, &body), @r#"
    2025-03-26 1
    notice
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: not an object"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: not an object"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: not an object"}}
    {"jsonrpc":"2.0","id":"i","error":{"code":-32600,"message":"Invalid request: initialize does not come in a batch"}}
    notice
    {"jsonrpc":"2.0","id":"u","error":{"code":-32601,"message":"Method not found: resources/list"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: not an object"}}
    2025-03-26 1
    "#);
}

proptest! {
    #[test]
    fn no_batch_makes_reading_panic(
        body in r#"\[((\{"jsonrpc":"2\.0"(,"id":(1|null|"a")|,"method":"(ping|tools/call|initialize)"|,"params":(\{\}|\[\])){0,3}\}|\[|\]|7|null),?){0,6}\]"#,
    ) {
        let _read = read(&HeaderMap::new(), body.as_bytes());
    }
}
