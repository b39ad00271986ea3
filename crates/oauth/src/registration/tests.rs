//! Registrations as real clients send them, and as nobody should.

use super::*;
use crate::fixture::Acme;

const CURSOR: &str = r#"{
    "client_name": "Cursor",
    "redirect_uris": [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback"
    ],
    "token_endpoint_auth_method": "none"
}"#;

fn accept(body: &str) -> Result<Accepted, Refusal> {
    let acme = Acme::with_servers(&["boards"]);
    Metadata::parse(body.as_bytes())?.accept(acme.tenant())
}

fn with_member(member: &str) -> String {
    format!(r#"{{"redirect_uris": ["https://client.test/cb"], {member}}}"#)
}

fn with_redirects(uris: &[&str]) -> String {
    serde_json::json!({ "redirect_uris": uris }).to_string()
}

fn identity(body: &str) -> String {
    serde_json::to_string(&accept(body).unwrap().identity()).unwrap()
}

// cli:20, cli:23, cli:24, cli:25, mcp:A8, sec:B18
#[test]
fn what_real_clients_send_is_accepted_and_what_is_unknown_is_left_out() {
    insta::assert_snapshot!(
        identity(CURSOR),
        @r#"{"client_name":"Cursor","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","http://localhost/callback","https://www.cursor.com/agents/mcp/oauth/callback"],"scope":""}"#
    );
    let plain = r#"{"client_name":null,"redirect_uris":["https://client.test/cb"],"scope":""}"#;
    for member in [
        r#""scope": """#,
        r#""scope": "openid email profile""#,
        r#""client_name": """#,
        r#""client_name": null"#,
        r#""token_endpoint_auth_method": "client_secret_post""#,
        r#""application_type": "native", "software_id": "x", "logo_uri": """#,
        r#""grant_types": ["authorization_code", "refresh_token"]"#,
        r#""grant_types": [], "response_types": []"#,
        r#""client_id": "chosen", "verified": true, "skip_consent": true, "client_secret": "x""#,
        "\"client_name#ja\": \"<img onerror>\"",
    ] {
        assert_eq!(identity(&with_member(member)), plain, "{member}");
    }
}

// mcp:A8, cli:27
#[test]
fn the_same_metadata_is_the_same_client_whatever_the_port() {
    let port = |port: u16| {
        let uri = format!("http://127.0.0.1:{port}/callback");
        serde_json::json!({ "redirect_uris": [uri], "scope": "write read" }).to_string()
    };
    assert_eq!(identity(&port(51_004)), identity(&port(33_418)));
    let ordered = with_redirects(&["https://a.test/", "https://b.test/"]);
    let reversed = with_redirects(&["https://b.test/", "https://a.test/"]);
    assert_eq!(identity(&ordered), identity(&reversed));
    let other = with_redirects(&["https://a.test/", "https://b.test/other"]);
    assert_ne!(identity(&ordered), identity(&other));
}

// sec:B01, sec:B02, sec:B14, sec:B19, sec:B20
#[test]
fn a_refusal_says_what_to_change_and_repeats_nothing() {
    let long = "x".repeat(LONGEST_NAME + 1);
    let many = vec!["https://client.test/cb"; MOST_REDIRECTS + 1];
    for (body, code, said) in [
        (
            with_redirects(&["https://client.test/cb", "javascript:alert(1)"]),
            ErrorCode::InvalidRedirectUri,
            "redirect_uris[1] is not accepted: its scheme is accepted for known clients only",
        ),
        (
            with_redirects(&["http://client.test/cb"]),
            ErrorCode::InvalidRedirectUri,
            "redirect_uris[0] is not accepted: http is accepted for localhost, 127.0.0.1 and [::1] only",
        ),
        ("{}".to_owned(), ErrorCode::InvalidRedirectUri, "redirect_uris holds no address"),
        (
            with_redirects(&many),
            ErrorCode::InvalidRedirectUri,
            "redirect_uris holds more than 10 addresses",
        ),
        (
            with_member(&format!(r#""client_name": "{long}""#)),
            ErrorCode::InvalidClientMetadata,
            "client_name is longer than 120 characters",
        ),
        (
            with_member(r#""client_name": "a\u0000b""#),
            ErrorCode::InvalidClientMetadata,
            "client_name holds a character that is not shown",
        ),
        (
            with_member(r#""client_name": "a\u202eb""#),
            ErrorCode::InvalidClientMetadata,
            "client_name holds a character that is not shown",
        ),
        (
            with_member(r#""grant_types": ["password"]"#),
            ErrorCode::InvalidClientMetadata,
            "grant_types holds none that is served: authorization_code, refresh_token",
        ),
        (
            with_member(r#""response_types": ["token"]"#),
            ErrorCode::InvalidClientMetadata,
            "response_types holds none that is served: code",
        ),
    ] {
        let refusal = accept(&body).unwrap_err();
        assert_eq!((refusal.code().unwrap(), refusal.to_string().as_str()), (code, said), "{body}");
    }
    for body in [
        "",
        "[]",
        "\u{feff}{}",
        r#"{"redirect_uris": "https://client.test/cb"}"#,
        r#"{"redirect_uris": ["https://client.test/cb"]} x"#,
        r#"{"redirect_uris": [], "redirect_uris": []}"#,
        r#"{"client_name": "\ud800", "redirect_uris": ["https://client.test/cb"]}"#,
        r#"{"client_name": 7, "redirect_uris": ["https://client.test/cb"]}"#,
    ] {
        let refusal = accept(body).unwrap_err();
        let said = (refusal.code().unwrap(), refusal.to_string());
        let expected = "the body is not a JSON object of client metadata".to_owned();
        assert_eq!(said, (ErrorCode::InvalidClientMetadata, expected), "{body}");
    }
}
