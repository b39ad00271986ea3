use http::{HeaderName, HeaderValue};
use proptest::prelude::*;

use super::*;
use crate::incoming::{Incoming, read};

const MODERN: &[(&str, &str)] = &[("mcp-protocol-version", "2026-07-28")];
const CALL: &[(&str, &str)] = &[
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "tools/call"),
    ("mcp-name", "read_board"),
];
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

/// What reading came to, in one line.
fn outcome(pairs: &[(&str, &str)], body: &str) -> String {
    match read(&headers(pairs), body.as_bytes()) {
        Ok(Incoming::One(Message::Notice)) => "notice".to_owned(),
        Ok(Incoming::One(Message::Request(it))) => {
            format!("{} {} {}", it.revision, it.id.as_json(), asked(&it.method))
        }
        Ok(Incoming::Batch(elements)) => format!("a batch of {}", elements.len()),
        Err(it) => format!("{} {}", it.status().as_u16(), it.body()),
    }
}

fn asked(method: &Method<'_>) -> String {
    match method {
        Method::Initialize => "initialize".to_owned(),
        Method::Ping => "ping".to_owned(),
        Method::Discover => "discover".to_owned(),
        Method::ListTools => "list".to_owned(),
        Method::CallTool(call) => {
            let arguments = call.arguments.map_or("-", RawValue::get);
            format!("call {} {arguments} {:?}", call.name, call.workspace)
        }
    }
}

/// Status and code, where the words do not matter.
fn verdict(pairs: &[(&str, &str)], body: &str) -> (u16, i32) {
    let rejection = read(&headers(pairs), body.as_bytes()).expect_err(body);
    (rejection.status().as_u16(), rejection.code().number())
}

// pre:C7, mcp:H9, mcp:H10
#[test]
fn a_body_that_is_no_message_is_refused_in_the_words_of_json_rpc() {
    for (body, expected) in [
        ("", r#"400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#),
        ("{bad", r#"400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#),
        ("{}x", r#"400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#),
        ("[{bad]", r#"400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#),
        (
            "7",
            r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: not an object"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id is not a string or an integer"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id is not a string or an integer"}}"#,
        ),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
            r#"400 {"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid request: jsonrpc is not \"2.0\""}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: the method is missing"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0"}"#,
            r#"400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the method is missing"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: the method is not a string"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: params is not an object"}}"#,
        ),
    ] {
        assert_eq!(outcome(&[], body), expected, "{body}");
    }
}

#[test]
fn bytes_that_are_no_text_are_a_parse_error() {
    let rejection = read(&HeaderMap::new(), b"{\"jsonrpc\":\"\xff\"}").unwrap_err();

    assert_eq!(rejection.code(), Code::ParseError);
}

// mcp:H12, mcp:H13, mcp:H14, mcp:H15, pre:C8, sec:J05
#[test]
fn a_message_of_the_handshake_era_is_read_by_its_header() {
    let old: &[(&str, &str)] = &[("mcp-protocol-version", "2025-06-18")];
    let new: &[(&str, &str)] = &[("mcp-protocol-version", "2025-11-25")];
    let bridged: &[(&str, &str)] = &[
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "something else"),
    ];
    let list = r#"{"jsonrpc":"2.0","id":"s-1","method":"tools/list","params":{"cursor":""}}"#;
    let initialize = |version: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}}}}}}"#
        )
    };
    for (headers, body, expected) in [
        (&[][..], list, r#"2025-03-26 "s-1" list"#),
        (&[("mcp-protocol-version", "2025-03-26")], list, r#"2025-03-26 "s-1" list"#),
        (&[("mcp-method", "tools/call")], list, r#"2025-03-26 "s-1" list"#),
        (old, list, r#"2025-06-18 "s-1" list"#),
        (new, list, r#"2025-11-25 "s-1" list"#),
        (bridged, list, r#"2025-11-25 "s-1" list"#),
        (new, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#, "2025-11-25 2 ping"),
        (&[], &initialize("2025-06-18"), "2025-06-18 0 initialize"),
        (&[], &initialize("2026-07-28"), "2025-11-25 0 initialize"),
        (MODERN, &initialize("1999-01-01"), "2025-11-25 0 initialize"),
        (new, r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#, "notice"),
        (new, r#"{"method":"notifications/of_tomorrow","jsonrpc":"2.0"}"#, "notice"),
        (new, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "notice"),
        (MODERN, r#"{"method":"notifications/cancelled","jsonrpc":"2.0"}"#, "notice"),
        (
            new,
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#,
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: resources/list"}}"#,
        ),
        (
            new,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: protocolVersion is not a string"}}"#,
        ),
        (
            new,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}"#,
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: unknown cursor"}}"#,
        ),
        (
            &[("mcp-protocol-version", "2020-01-01")],
            list,
            r#"400 {"jsonrpc":"2.0","id":"s-1","error":{"code":-32600,"message":"Unsupported protocol version: 2020-01-01"}}"#,
        ),
    ] {
        assert_eq!(outcome(headers, body), expected, "{body}");
    }
}

// mcp:H12, mcp:H5
#[test]
fn a_notice_is_refused_for_its_header_too() {
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for (version, body, expected) in [
        ("2020-01-01", notice, (400, -32600)),
        ("2025-11-25, 2025-11-25", notice, (400, -32600)),
        ("2099-01-01", notice, (400, -32022)),
        ("2026-07-28", response, (400, -32600)),
    ] {
        assert_eq!(verdict(&[("mcp-protocol-version", version)], body), expected, "{version}");
    }
}

// mcp:M1, mcp:M5, mcp:M7
#[test]
fn a_message_of_the_per_request_era_is_read_by_its_envelope() {
    let body = |method: &str, rest: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{META}{rest}}}}}"#)
    };
    for (method, rest, expected) in [
        ("server/discover", "", "2026-07-28 1 discover"),
        ("tools/list", "", "2026-07-28 1 list"),
        (
            "ping",
            "",
            r#"404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: ping"}}"#,
        ),
        (
            "initialize",
            r#","protocolVersion":"2025-11-25""#,
            r#"404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: initialize"}}"#,
        ),
        (
            "logging/setLevel",
            "",
            r#"404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: logging/setLevel"}}"#,
        ),
    ] {
        let pairs = [MODERN[0], ("mcp-method", method)];
        assert_eq!(outcome(&pairs, &body(method, rest)), expected, "{method}");
    }
    let call = body("tools/call", r#","name":"read_board","arguments":{"workspace":"docs"}"#);
    assert_eq!(
        outcome(CALL, &call),
        r#"2026-07-28 1 call read_board {"workspace":"docs"} Some("docs")"#
    );
}

// mcp:M2, mcp:M3, mcp:M4, mcp:M5; the order of checks at the end of section 3
#[test]
fn the_first_broken_rule_of_the_per_request_era_is_the_one_that_is_told() {
    let with = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{{{meta}}}}}}}"#
        )
    };
    let versioned = |version: &str| {
        with(&format!(
            r#""io.modelcontextprotocol/protocolVersion":{version},"io.modelcontextprotocol/clientCapabilities":{{}}"#
        ))
    };
    let discover = ("mcp-method", "server/discover");
    let dated = |version: &'static str| [("mcp-protocol-version", version), discover];
    for (headers, body, expected) in [
        (&dated("2026-07-28")[..], with(""), (400, -32602)),
        (&dated("2026-07-28"), versioned("7"), (400, -32602)),
        (
            &dated("2026-07-28"),
            with(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#),
            (400, -32602),
        ),
        (&[], r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.to_owned(), (400, -32602)),
        (&dated("2026-07-28"), versioned(r#""v999.0.0""#), (400, -32020)),
        (&dated("v999.0.0"), versioned(r#""v999.0.0""#), (400, -32022)),
        (&[discover], versioned(r#""v999.0.0""#), (400, -32022)),
        (&dated("2025-11-25"), versioned(r#""2025-11-25""#), (400, -32022)),
        (&dated("2025-11-25"), versioned(r#""2026-07-28""#), (400, -32020)),
        (&[discover], versioned(r#""2026-07-28""#), (400, -32020)),
        (MODERN, versioned(r#""2026-07-28""#), (400, -32020)),
    ] {
        assert_eq!(verdict(headers, &body), expected, "{headers:?} {body}");
    }
}

// mcp:M1
#[test]
fn a_modern_header_alone_asks_for_the_modern_envelope() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

    assert_eq!(
        outcome(MODERN, body),
        r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: _meta has no valid io.modelcontextprotocol/protocolVersion"}}"#
    );
}

// pre:C7
#[test]
fn a_call_names_a_tool_and_gives_an_object() {
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}}}}}"#)
    };
    for (params, expected) in [
        (r#""name":"read_board""#, "2025-03-26 1 call read_board - None"),
        (
            r#""name":"read\u005fboard","arguments":{"workspace":"caf\u00e9"}"#,
            r#"2025-03-26 1 call read_board {"workspace":"caf\u00e9"} Some("café")"#,
        ),
        (
            r#""name":"read_board","arguments":{"workspace":7}"#,
            r#"2025-03-26 1 call read_board {"workspace":7} None"#,
        ),
        (
            r#""name":7"#,
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: name is not a string"}}"#,
        ),
        (
            "",
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: name is not a string"}}"#,
        ),
        (
            r#""name":"read_board","arguments":[]"#,
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: arguments is not an object"}}"#,
        ),
        (
            r#""name":"read_board","arguments":null"#,
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: arguments is not an object"}}"#,
        ),
    ] {
        assert_eq!(outcome(&[], &call(params)), expected, "{params}");
    }
}

// sec:J08
#[test]
fn a_member_that_is_there_twice_is_refused_however_it_is_spelled() {
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","m\u0065thod":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{},"arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}"#,
    ] {
        assert_eq!(verdict(&[], body), (400, -32600), "{body}");
    }
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"workspace":"x","workspace":"y"}}}"#;
    assert_eq!(verdict(&[], body), (200, -32602));
}

// sec:J11
#[test]
fn arguments_too_deep_or_too_many_are_refused_with_the_requests_id() {
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a","arguments":{{"x":{arguments}}}}}}}"#
        )
    };
    for (arguments, expected) in [
        (
            format!("{}{}", "[".repeat(129), "]".repeat(129)),
            r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: nested too deeply"}}"#,
        ),
        (
            format!("[{}0]", "0,".repeat(100_000)),
            r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: too many values"}}"#,
        ),
    ] {
        assert_eq!(outcome(&[], &call(&arguments)), expected);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _read = read(&HeaderMap::new(), &body);
    }

    #[test]
    fn no_near_message_makes_reading_panic(
        version in "[ -~]{0,12}|2026-07-28|2025-11-25",
        body in r#"\{("jsonrpc":"2\.0"|"id":(1|null|"a")|"method":"(tools/call|initialize|server/discover)"|"params":(\{"name":"\\u[0-9a-f]{4}","arguments":\{"workspace":(1|"x")\},"_meta":\{\}\}|\[\])|,){0,9}\}"#,
    ) {
        let _read = read(&headers(&[("mcp-protocol-version", &version)]), body.as_bytes());
    }
}
