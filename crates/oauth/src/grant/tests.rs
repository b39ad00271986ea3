//! The form of a token request, and the answer to it.

use super::*;

fn parse(body: &str) -> Result<TokenRequest, Refusal> {
    TokenRequest::parse(body.as_bytes())
}

// cli:53, mcp:A11
#[test]
fn a_form_as_clients_send_it_is_read() {
    let body = "grant_type=authorization_code&code=portico_ac_x&code_verifier=a.b-c_d%7E&\
                redirect_uri=http%3A%2F%2Flocalhost%3A1%2Fcb&resource=&client_id=c&scope=read";
    let TokenRequest::AuthorizationCode(request) = parse(body).unwrap() else {
        panic!("another grant");
    };
    let read = [&request.client_id, &request.code, &request.code_verifier];
    assert_eq!(read, ["c", "portico_ac_x", "a.b-c_d~"]);
    assert_eq!(request.redirect_uri.as_deref(), Some("http://localhost:1/cb"));
    assert_eq!(request.resource, None);
    // mcp:R11
    assert_eq!(format!("{request:?}"), r#"AuthorizationCode { client_id: "c", .. }"#);
}

// sec:F02, sec:F11, sec:F16, sec:F17, sec:F21
#[test]
fn a_form_that_cannot_be_meant_has_its_word() {
    let good = "grant_type=authorization_code&code=c&code_verifier=v&client_id=i";
    for (body, expected) in [
        (String::new(), ErrorCode::InvalidRequest),
        ("grant_type=authorization_code".to_owned(), ErrorCode::InvalidRequest),
        (good.replace("&code_verifier=v", ""), ErrorCode::InvalidRequest),
        (good.replace("=v", "="), ErrorCode::InvalidRequest),
        (format!("{good}&code=c"), ErrorCode::InvalidRequest),
        (format!("{good}&grant_type=authorization_code"), ErrorCode::InvalidRequest),
        (good.replace("=c&", "=%00&"), ErrorCode::InvalidRequest),
        (good.replace("=c&", "=%ff&"), ErrorCode::InvalidRequest),
        (format!("{good}&resource=a&resource=b"), ErrorCode::InvalidTarget),
    ] {
        let found = parse(&body).map_err(|refusal| refusal.code());
        assert_eq!(found.err(), Some(expected), "{body}");
    }
    for grant in ["password", "client_credentials", "implicit", "refresh_token", "x"] {
        let read = parse(&format!("grant_type={grant}&username=a"));
        assert!(matches!(read, Ok(TokenRequest::Unsupported)), "{grant}");
    }
}

// sec:D28
#[test]
fn an_error_names_what_is_missing_and_nothing_that_was_sent() {
    let said = parse("grant_type=authorization_code&code=secret&client_id=i").unwrap_err();
    insta::assert_snapshot!(said, @"missing field `code_verifier`");
}

// mcp:A11, cli:53, cli:62
#[test]
fn tokens_are_written_without_what_they_lack() {
    let tokens = |expires_in| Tokens {
        access_token: PlainToken::mint(Kind::AccessToken, [7; 32]),
        token_type: "Bearer",
        expires_in,
        scope: "read write".to_owned(),
    };
    insta::assert_json_snapshot!(tokens(Some(28_800)), @r#"
    {
      "access_token": "portico_at_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwdzwBAk",
      "token_type": "Bearer",
      "expires_in": 28800,
      "scope": "read write"
    }
    "#);
    insta::assert_json_snapshot!(tokens(None), @r#"
    {
      "access_token": "portico_at_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwdzwBAk",
      "token_type": "Bearer",
      "scope": "read write"
    }
    "#);
}
