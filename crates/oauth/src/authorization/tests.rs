//! What an authorization request may leave out, and what each mistake is called.

use time::OffsetDateTime;

use super::*;
use crate::fixture::Acme;

const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn parameters(changes: &[(&str, Option<&str>)]) -> Parameters {
    let mut pairs = vec![
        ("response_type", Some("code")),
        ("code_challenge", Some(CHALLENGE)),
        ("code_challenge_method", Some("S256")),
        ("state", Some("xyz")),
    ];
    for change in changes {
        pairs.retain(|(name, _)| *name != change.0);
        pairs.push(*change);
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        query.extend_pairs(value.map(|value| (name, value)));
    }
    Parameters::parse(query.finish().as_bytes()).unwrap()
}

// mcp:A2, mcp:A9, sec:D05, sec:D07, sec:D12, sec:D19, sec:D22
#[test]
fn each_mistake_has_its_word() {
    let acme = Acme::with_servers(&["boards"]);
    let long_state = "x".repeat(LONGEST_STATE + 1);
    for (name, value, expected) in [
        ("response_type", None, Mistake::NoResponseType),
        ("response_type", Some("token"), Mistake::ResponseType),
        ("response_type", Some("code id_token"), Mistake::ResponseType),
        ("response_mode", Some("fragment"), Mistake::ResponseMode),
        ("response_mode", Some("form_post"), Mistake::ResponseMode),
        ("request", Some("eyJ"), Mistake::RequestObject),
        ("request_uri", Some("https://sink.test/x"), Mistake::RequestUri),
        ("state", Some(long_state.as_str()), Mistake::LongState),
        ("code_challenge", None, Mistake::Challenge),
        ("code_challenge", Some(&CHALLENGE[1..]), Mistake::Challenge),
        ("code_challenge_method", None, Mistake::ChallengeMethod),
        ("code_challenge_method", Some("plain"), Mistake::ChallengeMethod),
        ("code_challenge_method", Some("s256"), Mistake::ChallengeMethod),
        ("resource", Some("https://h.example/mcp/other"), Mistake::Resource),
        ("resource", Some("https://h.example/mcp/boards//"), Mistake::Resource),
        ("resource", Some("https://h.example"), Mistake::Resource),
        ("resource", Some("https://other.example/mcp/boards"), Mistake::Resource),
        ("prompt", Some("none"), Mistake::Silent),
    ] {
        let asked = parameters(&[(name, value)]);
        let found = read_wish(acme.tenant(), &asked).err();
        assert_eq!(found, Some(expected), "{name}={value:?}");
    }
}

// cli:46, cli:48, mcp:A9, mcp:A14, mcp:R4
#[test]
fn what_is_left_out_or_unknown_has_a_meaning() {
    let acme = Acme::with_servers(&["boards"]);
    let with_slash = "https://h.example/mcp/boards/";
    let without_slash = "https://h.example/mcp/boards";
    for (name, value, scopes) in [
        ("scope", None, "read write"),
        ("scope", Some(""), "read write"),
        ("scope", Some(" offline_access"), "read write"),
        ("scope", Some("openid email profile"), "read write"),
        ("scope", Some("read"), "read"),
        ("scope", Some("delete write offline_access"), "write"),
        ("resource", None, "read write"),
        ("resource", Some(with_slash), "read write"),
        ("resource", Some(without_slash), "read write"),
        ("prompt", Some("consent"), "read write"),
        ("response_mode", Some("query"), "read write"),
        ("state", None, "read write"),
    ] {
        let asked = parameters(&[(name, value)]);
        let wish = read_wish(acme.tenant(), &asked).unwrap();
        let found = (wish.scopes.to_string(), wish.address);
        assert_eq!(found, (scopes.to_owned(), Address::of("boards")), "{name}");
    }
}

// mcp:A9
#[test]
fn among_several_servers_one_has_to_be_named() {
    let acme = Acme::with_servers(&["boards", "reports"]);
    for (resource, expected) in [
        (None, Err(Mistake::Resource)),
        (Some("https://h.example/mcp/reports"), Ok("reports")),
        (Some("https://h.example/mcp/boards"), Ok("boards")),
    ] {
        let asked = parameters(&[("resource", resource)]);
        let found = read_wish(acme.tenant(), &asked).map(|wish| wish.address.server);
        assert_eq!(found, expected, "{resource:?}");
    }
}

// pre:O4, cli:46
#[test]
fn an_address_is_read_from_the_resource_and_narrows_what_is_asked_for() {
    let raw = Acme::with_servers(&["boards", "reports"]);
    let vanity = Acme::with_servers(&["boards", "reports"]).at_host("mcp.acme.example", "reports");
    let found = |acme: &Acme, resource: Option<&str>| {
        let asked = parameters(&[("resource", resource)]);
        let wish = read_wish(acme.tenant(), &asked)?;
        Ok((acme.issuer().resource(&wish.address), wish.scopes.to_string()))
    };
    let (both, read) = ("read write", "read");
    for (acme, resource, expected) in [
        (&raw, Some("https://h.example/mcp/boards/readonly"), Ok(read)),
        (&raw, Some("https://h.example/mcp/reports/w/docs.example"), Ok(both)),
        (&raw, Some("https://h.example/mcp/reports/w/docs.example/readonly"), Ok(read)),
        (&raw, Some("https://mcp.acme.example"), Err(Mistake::Resource)),
        (&raw, Some("https://h.example/mcp/boards/w/"), Err(Mistake::Resource)),
        (&vanity, Some("https://mcp.acme.example"), Ok(both)),
        (&vanity, Some("https://mcp.acme.example/w/docs.example/readonly"), Ok(read)),
        (&vanity, Some("https://mcp.acme.example/mcp/reports"), Err(Mistake::Resource)),
        (&vanity, Some("https://h.example/mcp/reports"), Err(Mistake::Resource)),
    ] {
        for slash in ["", "/"] {
            let asked = resource.map(|it| format!("{it}{slash}"));
            let expected = expected.map(|scopes| (resource.unwrap().to_owned(), scopes.to_owned()));
            assert_eq!(found(acme, asked.as_deref()), expected, "{asked:?}");
        }
    }
    let own = ("https://mcp.acme.example".to_owned(), both.to_owned());
    assert_eq!(found(&vanity, None), Ok(own));
    assert_eq!(found(&raw, None), Err(Mistake::Resource));
}

fn client(redirect_uris: &[&str]) -> Client {
    Client {
        id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse().unwrap(),
        name: None,
        redirect_uris: redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

// sec:D04, cli:35
#[test]
fn an_address_may_be_left_out_where_there_is_only_one() {
    let acme = Acme::with_servers(&["boards"]);
    let one = client(&["https://a.test/cb"]);
    let two = client(&["https://a.test/cb", "https://b.test/cb"]);
    let other = |client: &Client, asked: &str| DeadEnd::OtherRedirect {
        asked: asked.to_owned(),
        registered: client.redirect_uris.clone(),
    };
    let evil = "https://evil.test/cb";
    for (client, asked, expected) in [
        (&one, None, Ok("https://a.test/cb")),
        (&two, None, Err(DeadEnd::NoRedirect)),
        (&two, Some("https://b.test/cb"), Ok("https://b.test/cb")),
        (&one, Some(evil), Err(other(&one, evil))),
        (&two, Some(evil), Err(other(&two, evil))),
    ] {
        let found = find_redirect(acme.tenant(), client, asked);
        let found = found.map(|redirect| redirect.as_str().to_owned());
        assert_eq!(found, expected.map(str::to_owned), "{asked:?}");
    }
}

// mcp:A4, mcp:A16, sec:D17, sec:D28
#[test]
fn an_error_travels_with_state_and_issuer() {
    let acme = Acme::with_servers(&["boards"]);
    let redirect = find_redirect(acme.tenant(), &client(&["https://a.test/cb"]), None).unwrap();
    insta::assert_snapshot!(
        refuse(acme.tenant(), &redirect, Mistake::ChallengeMethod, Some("a b%=")),
        @"https://a.test/cb?error=invalid_request&error_description=code_challenge_method%20must%20be%20S256&state=a%20b%25%3D&iss=https%3A%2F%2Fh.example"
    );
}
