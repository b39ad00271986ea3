//! Addresses that attackers and real clients register, and what matches what.

use proptest::prelude::*;

use super::*;

const KNOWN_APPS: &Redirects = &Redirects::KnownApps(Vec::new());

fn verdict(text: &str) -> Result<(), Unacceptable> {
    Target::parse(text, KNOWN_APPS).map(|_| ())
}

// sec:B01, sec:B02, sec:B05, sec:B06, sec:B07, sec:B08, sec:B09, cli:20
#[test]
fn an_address_is_accepted_only_in_the_form_that_nobody_could_read_otherwise() {
    use Unacceptable as U;
    for (text, expected) in [
        ("https://client.test/cb", Ok(())),
        ("https://client.test", Ok(())),
        ("https://client.test/", Ok(())),
        ("https://client.test:8443/cb?x=1", Ok(())),
        ("https://xn--e1awd7f.com/cb", Ok(())),
        ("https://client.test/a%20b", Ok(())),
        ("https://10.0.0.1/cb", Ok(())),
        ("http://localhost:8787/callback", Ok(())),
        ("http://localhost/callback", Ok(())),
        ("http://127.0.0.1/", Ok(())),
        ("http://127.0.0.1:33418/", Ok(())),
        ("http://127.0.0.1", Ok(())),
        ("http://[::1]:3000/cb", Ok(())),
        ("cursor://anysphere.cursor-mcp/oauth/callback", Ok(())),
        // Scripts and the like.
        ("javascript:alert(1)", Err(U::Scheme)),
        ("JaVaScRiPt:alert(1)", Err(U::NotNormal)),
        (" javascript:alert(1)", Err(U::NotNormal)),
        ("java\nscript:alert(1)", Err(U::NotNormal)),
        ("java\tscript:alert(1)", Err(U::NotNormal)),
        ("\u{1}javascript:alert(1)", Err(U::NotNormal)),
        ("data:text/html,x", Err(U::Scheme)),
        ("vbscript:x", Err(U::Scheme)),
        ("file:///etc/passwd", Err(U::Scheme)),
        ("blob:https://client.test/x", Err(U::Scheme)),
        ("about:blank", Err(U::Scheme)),
        ("view-source:https://client.test/", Err(U::Scheme)),
        ("intent://x#Intent;end", Err(U::Fragment)),
        ("ftp://client.test/cb", Err(U::Scheme)),
        ("ws://localhost/cb", Err(U::Scheme)),
        // Schemes of their own.
        ("cursor://evil/oauth/callback", Err(U::Scheme)),
        ("cursor://anysphere.cursor-mcp/oauth/callback/", Err(U::Scheme)),
        ("cursor://anysphere.cursor-mcp/oauth/callback?x", Err(U::Scheme)),
        ("CURSOR://anysphere.cursor-mcp/oauth/callback", Err(U::NotNormal)),
        ("myapp:/cb", Err(U::Scheme)),
        ("com.evil.app:/cb", Err(U::Scheme)),
        // Parts that have no business here.
        ("https://client.test/cb#x", Err(U::Fragment)),
        ("https://client.test/cb#", Err(U::Fragment)),
        ("https://user@client.test/cb", Err(U::Credentials)),
        ("https://client.test%2f@evil.test/cb", Err(U::Credentials)),
        ("https://user:pw@client.test/cb", Err(U::Credentials)),
        ("http://127.0.0.1@evil.test/cb", Err(U::Credentials)),
        ("https://*.client.test/cb", Err(U::Wildcard)),
        ("https://client.test/*", Err(U::Wildcard)),
        ("https://client.test./cb", Err(U::TrailingDot)),
        ("https://client.test/cb%0d%0aSet-Cookie:x", Err(U::Control)),
        ("https://client.test/cb%00", Err(U::Control)),
        ("https://client.test/cb?x=%7f", Err(U::Control)),
        // What a parser repairs.
        ("https:client.test/cb", Err(U::NotNormal)),
        ("https:///client.test/cb", Err(U::NotNormal)),
        ("https://client.test\\@evil.test/cb", Err(U::NotNormal)),
        ("https://client.test/a/../cb", Err(U::NotNormal)),
        ("https://client.test/./cb", Err(U::NotNormal)),
        ("https://client.test/cb\t", Err(U::NotNormal)),
        ("https://client.test/cb\r\nX: y", Err(U::NotNormal)),
        ("https://exa%6dple.com/", Err(U::NotNormal)),
        ("https://client\u{3002}test/cb", Err(U::NotNormal)),
        ("https://CLIENT.test/cb", Err(U::NotNormal)),
        ("https://client.test:443/cb", Err(U::NotNormal)),
        ("https://\u{43f}\u{440}.test/cb", Err(U::NotNormal)),
        ("https://client.test/\u{e9}", Err(U::NotNormal)),
        ("https://@client.test/cb", Err(U::NotNormal)),
        ("//client.test/cb", Err(U::NotAbsolute)),
        ("/cb", Err(U::NotAbsolute)),
        ("https://", Err(U::NotAbsolute)),
        ("", Err(U::NotAbsolute)),
    ] {
        assert_eq!(verdict(text), expected, "{text:?}");
    }
    let long = format!("https://client.test/{}", "a".repeat(LONGEST));
    assert_eq!(verdict(&long), Err(Unacceptable::TooLong));
}

// sec:B08
#[test]
fn a_query_holds_no_control_and_nothing_that_an_answer_says() {
    use Unacceptable as U;
    for (query, expected) in [
        ("x=%c2%80", Err(U::Control)),
        ("x=%C2%9F", Err(U::Control)),
        ("x=%c2%a0", Ok(())),
        ("x=%e2%9c%93", Ok(())),
        ("x=%c2-%80", Ok(())),
        ("code=x&iss=evil", Err(U::Answer)),
        ("x=1&state", Err(U::Answer)),
        ("i%73s=evil", Err(U::Answer)),
        ("error=x", Err(U::Answer)),
        ("error_description=x", Err(U::Answer)),
        ("Code=x&codes=y&xstate", Ok(())),
    ] {
        assert_eq!(verdict(&format!("https://client.test/cb?{query}")), expected, "{query}");
    }
}

// sec:B02, sec:B07
#[test]
fn plain_http_is_for_this_computer_by_its_three_names() {
    use Unacceptable as U;
    for (text, expected) in [
        ("http://client.test/cb", Err(U::PlainHttp)),
        ("http://localhost.evil.test/cb", Err(U::PlainHttp)),
        ("http://127.0.0.1.evil.test/cb", Err(U::PlainHttp)),
        ("http://127.0.0.2/cb", Err(U::PlainHttp)),
        ("http://0.0.0.0/cb", Err(U::PlainHttp)),
        ("http://[::ffff:7f00:1]/cb", Err(U::PlainHttp)),
        ("http://192.168.0.1/cb", Err(U::PlainHttp)),
        ("http://127.1/cb", Err(U::NotNormal)),
        ("http://2130706433/cb", Err(U::NotNormal)),
        ("http://0x7f.1/cb", Err(U::NotNormal)),
        ("http://0177.0.0.1/cb", Err(U::NotNormal)),
        ("http://LOCALHOST/cb", Err(U::NotNormal)),
        ("http://localhost./cb", Err(U::TrailingDot)),
        ("http://localhost:80/cb", Err(U::NotNormal)),
    ] {
        assert_eq!(verdict(text), expected, "{text:?}");
    }
}

// pre:O5
#[test]
fn a_tenant_may_refuse_schemes_altogether() {
    for (text, is_accepted) in [
        ("cursor://anysphere.cursor-mcp/oauth/callback", false),
        ("https://client.test/cb", true),
        ("http://localhost:8787/callback", true),
    ] {
        let read = Target::parse(text, &Redirects::HttpsOrLoopback);
        assert_eq!(read.is_ok(), is_accepted, "{text}");
    }
}

// sec:B09
#[test]
fn a_tenant_may_know_a_client_that_others_do_not() {
    let own = Redirects::KnownApps(vec!["com.raycast:/oauth?package_name=Extension".to_owned()]);
    for (text, expected) in [
        ("com.raycast:/oauth?package_name=Extension", Ok(())),
        ("cursor://anysphere.cursor-mcp/oauth/callback", Ok(())),
        ("com.raycast:/oauth", Err(Unacceptable::Scheme)),
        ("com.raycast:/oauth?package_name=Other", Err(Unacceptable::Scheme)),
        ("com.raycast:/oauth?package_name=Extension#x", Err(Unacceptable::Fragment)),
    ] {
        assert_eq!(Target::parse(text, &own).map(|_| ()), expected, "{text}");
        assert!(text.starts_with("cursor:") || verdict(text).is_err(), "{text}");
    }
}

fn matched(asked: &str, registered: &str) -> bool {
    Redirect::for_client(asked, &[registered.to_owned()], KNOWN_APPS).is_some()
}

// mcp:A5, sec:D02, sec:D03, cli:35, cli:38
#[test]
fn only_the_port_of_a_loopback_address_is_ignored() {
    for (registered, asked, expected) in [
        ("https://client.test/cb", "https://client.test/cb", true),
        ("https://client.test/cb", "https://client.test/cb/", false),
        ("https://client.test/cb", "https://client.test/CB", false),
        ("https://client.test/cb", "https://client.test/cb?x", false),
        ("https://client.test/cb", "//client.test/cb", false),
        ("https://client.test/cb", "https://client.test:443/cb", false),
        ("https://client.test/cb", "https://client.test:8443/cb", false),
        ("https://client.test/cb", "https://client.test/cb%2F", false),
        ("https://client.test/cb", "https://client.test/cb/..;/evil", false),
        ("https://client.test/cb", "https://client.test/cb#", false),
        ("https://client.test/cb", "https://evil.test/cb", false),
        ("https://client.test/cb", "http://client.test/cb", false),
        ("https://localhost:3000/cb", "https://localhost:3001/cb", false),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1:51004/cb", true),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1/cb", true),
        ("http://127.0.0.1:33418/", "http://127.0.0.1:59656/", true),
        ("http://127.0.0.1", "http://127.0.0.1:59656/", true),
        ("http://localhost/callback", "http://localhost:58753/callback", true),
        ("http://[::1]:1/cb", "http://[::1]:2/cb", true),
        ("http://127.0.0.1:3000/cb", "http://[::1]:51004/cb", false),
        ("http://127.0.0.1:3000/cb", "http://localhost:51004/cb", false),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.2:51004/cb", false),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1:3000/other", false),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1:3000/cb?x=1", false),
        ("http://127.0.0.1:3000/cb", "https://127.0.0.1:3000/cb", false),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1:3000@evil.test/cb", false),
        // Kept from a time when the rule was another.
        ("https://client.test/*", "https://client.test/anything", false),
        ("http://client.test/cb", "http://client.test/cb", false),
    ] {
        assert_eq!(matched(asked, registered), expected, "{registered} {asked}");
    }
}

// sec:D15, sec:D17, cli:43
#[test]
fn an_answer_is_added_and_nothing_else_changes() {
    let state = "gX/iM== a&code=evil %0d%0a+\u{202e}";
    for (registered, expected) in [
        ("https://client.test/cb", "https://client.test/cb?state="),
        ("https://client.test/cb?x=a+b&y", "https://client.test/cb?x=a+b&y&state="),
        ("http://[::1]:2/cb", "http://[::1]:2/cb?state="),
        (
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback?state=",
        ),
    ] {
        let registered = [registered.to_owned()];
        let redirect = Redirect::for_client(&registered[0], &registered, KNOWN_APPS).unwrap();
        let answer = redirect.answer(&[("state", state)]);
        let encoded = "gX%2FiM%3D%3D%20a%26code%3Devil%20%250d%250a%2B%E2%80%AE";
        assert_eq!(answer.as_str(), format!("{expected}{encoded}"));
        let last = answer.query_pairs().last().unwrap();
        assert_eq!(last, ("state".into(), state.into()));
    }
}

// sec:E12
#[test]
fn a_person_is_told_where_the_answer_goes() {
    for (text, expected) in [
        ("https://claude.ai/api/mcp/auth_callback", Destination::Site { host: "claude.ai" }),
        ("https://xn--e1awd7f.com:8443/cb", Destination::Site { host: "xn--e1awd7f.com:8443" }),
        ("http://localhost:3/cb", Destination::Computer { host: "localhost:3" }),
        ("cursor://anysphere.cursor-mcp/oauth/callback", Destination::Scheme { scheme: "cursor" }),
    ] {
        let registered = [text.to_owned()];
        let redirect = Redirect::for_client(text, &registered, KNOWN_APPS).unwrap();
        assert_eq!(redirect.destination(), expected, "{text}");
    }
}

fn any_address() -> impl Strategy<Value = String> {
    let scheme = prop_oneof!["https", "http", "cursor"];
    let host = prop_oneof!["localhost", "127\\.0\\.0\\.1", "\\[::1\\]", "[a-z]{1,8}\\.test"];
    let port =
        prop_oneof![Just(String::new()), "[1-9][0-9]{0,3}".prop_map(|port| format!(":{port}"))];
    let path = "(/[a-z]{0,3}){0,3}(\\?[a-z]=[a-z])?";
    (scheme, host, port, path)
        .prop_map(|(scheme, host, port, path)| format!("{scheme}://{host}{port}{path}"))
}

/// The parts of an address that decide, read without the parser under test.
fn parts(text: &str) -> (String, bool) {
    let (origin, path) = text[7..].split_once('/').unwrap_or((&text[7..], ""));
    let host = origin.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
    (format!("{}/{path}", host.map_or(origin, |(host, _)| host)), text.starts_with("http://"))
}

proptest! {
    #[test]
    fn what_matches_is_the_same_address_but_for_a_loopback_port(
        registered in any_address(), asked in any_address(),
    ) {
        if matched(&asked, &registered) {
            let is_same_but_port = parts(&asked) == parts(&registered) && parts(&asked).1;
            prop_assert!(asked == registered || is_same_but_port, "{registered} {asked}");
        }
    }

    #[test]
    fn an_acceptable_address_matches_itself(address in any_address()) {
        prop_assert_eq!(matched(&address, &address), verdict(&address).is_ok());
    }

    #[test]
    fn a_changed_loopback_port_still_matches(path in "(/[a-z]{1,4}){1,3}", first: u16, second: u16) {
        prop_assume!(first != 80 && second != 80);
        let [registered, asked] = [first, second].map(|port| format!("http://127.0.0.1:{port}{path}"));
        prop_assert!(matched(&asked, &registered));
    }

    #[test]
    fn no_text_makes_the_rule_panic(text: String) {
        prop_assert!(verdict(&text).is_err() || text.is_ascii());
    }
}
