use http::HeaderValue;

use super::*;

fn headers(method: &[&str], name: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(VERSION, HeaderValue::from_static("2026-07-28"));
    for value in method {
        headers.append(METHOD, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    for value in name {
        headers.append(NAME, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

fn told(headers: &HeaderMap, method: &str, name: Option<&str>) -> String {
    match agree(headers, method, name) {
        Ok(()) => "agreed".to_owned(),
        Err(rejection) => format!("{} {}", rejection.code().number(), rejection.message()),
    }
}

// mcp:M5, sec:J03
#[test]
fn the_name_header_is_the_body_s_name_in_plain_or_in_base64() {
    for (header, name, expected) in [
        (&["read_board"][..], Some("read_board"), "agreed"),
        (&[" \tread_board "], Some("read_board"), "agreed"),
        (&["=?base64?cmVhZF9ib2FyZA==?="], Some("read_board"), "agreed"),
        (&["=?base64?5LiW55WM?="], Some("世界"), "agreed"),
        (
            &["=?BASE64?cmVhZF9ib2FyZA==?="],
            Some("read_board"),
            "-32020 Header mismatch: Mcp-Name header value '=?BASE64?cmVhZF9ib2FyZA==?=' does not match body value 'read_board'",
        ),
        (
            &["=?base64?cmVhZF9ib2FyZA?="],
            Some("read_board"),
            "-32020 Header mismatch: Mcp-Name is not valid Base64",
        ),
        (
            &["=?base64?/w==?="],
            Some("read_board"),
            "-32020 Header mismatch: Mcp-Name is not valid Base64",
        ),
        (
            &["Read_board"],
            Some("read_board"),
            "-32020 Header mismatch: Mcp-Name header value 'Read_board' does not match body value 'read_board'",
        ),
        (&["世界"], Some("世界"), "-32020 Header mismatch: Mcp-Name is malformed"),
        (
            &["read_board", "read_board"],
            Some("read_board"),
            "-32020 Header mismatch: Mcp-Name is malformed",
        ),
        (&[], Some("read_board"), "-32020 Header mismatch: Mcp-Name is missing"),
        (&["read_board"], None, "-32020 Header mismatch: Mcp-Name is not in the body"),
        (&[], None, "agreed"),
    ] {
        assert_eq!(told(&headers(&["tools/call"], header), "tools/call", name), expected);
    }
}

// mcp:M5
#[test]
fn the_method_header_is_the_body_s_method_letter_for_letter() {
    for (header, expected) in [
        (&["tools/list"][..], "agreed"),
        (&["\ttools/list  "], "agreed"),
        (
            &["TOOLS/LIST"],
            "-32020 Header mismatch: Mcp-Method header value 'TOOLS/LIST' does not match body value 'tools/list'",
        ),
        (&[], "-32020 Header mismatch: Mcp-Method is missing"),
        (&["tools/list", "tools/list"], "-32020 Header mismatch: Mcp-Method is malformed"),
    ] {
        assert_eq!(told(&headers(header, &["anything"]), "tools/list", None), expected);
    }
}
