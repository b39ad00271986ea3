//! Which grant a form asks for, and the answer to it.

use portico_model::{Kind, PlainToken};

use super::*;

fn read(body: &str) -> Result<GrantType, Refusal> {
    read_type(&Parameters::parse(body.as_bytes())?)
}

// sec:F11, sec:F17, sec:F21
#[test]
fn a_form_that_cannot_be_meant_has_its_word() {
    let good = "grant_type=authorization_code&code=c&code_verifier=v&client_id=i";
    assert_eq!(read(good).unwrap(), GrantType::AuthorizationCode);
    let refresh = "grant_type=refresh_token&refresh_token=r&client_id=i";
    assert_eq!(read(refresh).unwrap(), GrantType::RefreshToken);
    let unsupported = ["password", "client_credentials", "implicit", "Refresh_Token", "x"]
        .map(|grant| (format!("grant_type={grant}&username=a"), ErrorCode::UnsupportedGrantType));
    for (body, expected) in [
        (String::new(), ErrorCode::InvalidRequest),
        (good.replace("=authorization_code", "="), ErrorCode::InvalidRequest),
        (format!("{good}&code=c"), ErrorCode::InvalidRequest),
        (format!("{good}&grant_type=authorization_code"), ErrorCode::InvalidRequest),
        (good.replace("=c&", "=%00&"), ErrorCode::InvalidRequest),
        (good.replace("=c&", "=%ff&"), ErrorCode::InvalidRequest),
        (format!("{good}&resource=a&resource=b"), ErrorCode::InvalidTarget),
    ]
    .into_iter()
    .chain(unsupported)
    {
        assert_eq!(read(&body).unwrap_err().code().unwrap(), expected, "{body}");
    }
}

// mcp:A11, cli:53, cli:62
#[test]
fn tokens_are_written_without_what_they_lack() {
    let tokens = |expires_in: Option<u64>| Tokens {
        access_token: Exposed(PlainToken::mint(Kind::AccessToken, [7; 32])),
        token_type: "Bearer",
        expires_in,
        refresh_token: expires_in.map(|_| Exposed(PlainToken::mint(Kind::RefreshToken, [7; 32]))),
        scope: "read write".to_owned(),
    };
    let written = |tokens: Tokens| String::from_utf8(tokens.answer().into_json()).unwrap();
    insta::assert_snapshot!(
        written(tokens(Some(28_800))),
        @r#"{"access_token":"portico_at_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwdzwBAk","token_type":"Bearer","expires_in":28800,"refresh_token":"portico_rt_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwd90q9r","scope":"read write"}"#
    );
    insta::assert_snapshot!(
        written(tokens(None)),
        @r#"{"access_token":"portico_at_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwdzwBAk","token_type":"Bearer","scope":"read write"}"#
    );
}
