//! One row a refusal: what was changed in a good document, and what is said about it.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::parse;

const GOOD: &str = r##"tenant = "acme"
[brand]
name = "Acme"
accent = "#0b57d0"
[sign_in]
kind = "local"
[directory]
kind = "managed"
[oauth]
access_token = "8h"
[[scopes]]
name = "read"
title = "See your boards"
[[servers]]
name = "boards"
title = "Acme boards"
tools = ["read_board"]
[servers.deny]
export = "paid per call"
[servers.hints.read_board]
read_only = true
"##;

fn said(text: &str) -> String {
    match parse("acme.toml", text) {
        Ok(_) => "well-formed".to_owned(),
        Err(problems) => problems.to_string(),
    }
}

/// The good document with one line of it replaced.
fn replacing(line: &str, other: &str) -> String {
    assert!(GOOD.lines().any(|known| known == line), "{line} is not in the document");
    let lines = GOOD.lines().map(|known| if known == line { other } else { known });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_good_document_is_well_formed() {
    assert_eq!(said(GOOD), "well-formed");
}

const SLUG: &str =
    "must be a letter a to z, then at most 30 letters, digits or hyphens, all lower case";
const LIFETIME: &str = "`access_token` must be `until-revoked`, or from `1m` to `365d`";
const PRIVATE: &str = "it must be an address as the client registers it, with a scheme of its own";
const PREFIX: &str = "it must be 4 to 32 letters, digits, hyphens or underscores";
const HOST: &str = "it must be a host name or an address, lower case and without a port";
const ROOT: &str =
    "`tenant`, `brand`, `sign_in`, `directory`, `oauth`, `limits`, `scopes`, `servers`";

/// A line of the good document, what stands in its place, and what is said: `SLUG`, `LIFETIME`,
/// `PRIVATE`, `PREFIX`, `HOST` and `ROOT` stand for the texts above.
const REFUSALS: &[(&str, &str, &str)] = &[
    (r#"tenant = "acme""#, "", "1:1: missing key `tenant` in the document"),
    (r#"tenant = "acme""#, "tenant = 7", "1:10: `tenant` must be text, and this is a whole number"),
    (r#"tenant = "acme""#, r#"tenant = "Acme""#, "1:10: `tenant` SLUG"),
    (r#"tenant = "acme""#, r#"tenant = "a2345678901234567890123456789012""#, "1:10: `tenant` SLUG"),
    (
        r#"tenant = "acme""#,
        "tenant = \"acme\"\nquotas = 3",
        "2:1: unknown key `quotas` in the document; known are ROOT",
    ),
    (r#"name = "Acme""#, r#"name = " ""#, "3:8: `name` is empty"),
    (
        r#"name = "Acme""#,
        r#"name = "A\nB""#,
        "3:8: `name` must be one line of at most 60 characters",
    ),
    (
        r#"name = "Acme""#,
        "name = \"Acme\"\nlogo = \"l.svg\"",
        "4:1: unknown key `logo` in [brand]; known are `name`, `accent`, `app_url`, `support_url`",
    ),
    (
        r##"accent = "#0b57d0""##,
        r##"acent = "#0b57d0""##,
        "2:1: missing key `accent` in [brand]\n4:1: unknown key `acent` in [brand]; did you mean `accent`?",
    ),
    (
        r##"accent = "#0b57d0""##,
        r#"accent = "blue""#,
        "4:10: `accent` must be a colour such as #0b57d0",
    ),
    (
        r##"accent = "#0b57d0""##,
        r##"accent = "#8ab4f8""##,
        "4:10: `accent` is too light: white text on it has a contrast of 2.11, and 4.5 is needed",
    ),
    (
        r##"accent = "#0b57d0""##,
        "accent = \"#0b57d0\"\nsupport_url = \"http://acme.example\"",
        "5:15: `support_url` must be an https address",
    ),
    (
        r#"kind = "local""#,
        r#"kind = "oidc""#,
        "6:8: `kind` cannot be `oidc`; only `local` is known",
    ),
    (
        r#"kind = "managed""#,
        r#"kind = "manged""#,
        "8:8: `kind` cannot be `manged`; did you mean `managed`?",
    ),
    (r#"access_token = "8h""#, r#"access_token = "8 hours""#, "10:16: LIFETIME"),
    (r#"access_token = "8h""#, r#"access_token = "0s""#, "10:16: LIFETIME"),
    (r#"access_token = "8h""#, r#"access_token = "366d""#, "10:16: LIFETIME"),
    (
        r#"access_token = "8h""#,
        r#"redirects = "any""#,
        "10:13: `redirects` cannot be `any`; known are `known-apps`, `https-or-loopback`",
    ),
    (
        r#"access_token = "8h""#,
        r#"registration = ["dynamic"]"#,
        "10:1: unknown key `registration` in [oauth]; known are `access_token`, `redirects`, `redirect_uris`, `legacy_token_prefixes`",
    ),
    (
        r#"access_token = "8h""#,
        r#"redirect_uris = ["https://client.test/cb"]"#,
        "10:18: `redirect_uris` cannot hold `https://client.test/cb`; PRIVATE",
    ),
    (
        r#"access_token = "8h""#,
        "redirects = \"https-or-loopback\"\nredirect_uris = [\"raycast://oauth\"]",
        "11:18: `redirect_uris` needs `redirects = \"known-apps\"`",
    ),
    (
        r#"access_token = "8h""#,
        r#"legacy_token_prefixes = ["acme_mcp_", "acm", "acme.", "é_mcp"]"#,
        "10:39: `legacy_token_prefixes` cannot hold `acm`; PREFIX\n10:46: `legacy_token_prefixes` cannot hold `acme.`; PREFIX\n10:55: `legacy_token_prefixes` cannot hold `é_mcp`; PREFIX",
    ),
    (
        r#"access_token = "8h""#,
        r#"legacy_token_prefixes = ["portico_at_", "port"]"#,
        "10:26: `legacy_token_prefixes` cannot hold `portico_at_`; our own tokens begin with `portico_`\n10:41: `legacy_token_prefixes` cannot hold `port`; our own tokens begin with `portico_`",
    ),
    (
        r#"access_token = "8h""#,
        r#"legacy_token_prefixes = ["aaa1", "aaa2", "aaa3", "aaa4", "aaa5", "aaa6", "aaa7", "aaa8", "aaa9"]"#,
        "10:90: `legacy_token_prefixes` has more than 8 prefixes",
    ),
    (
        "[[scopes]]",
        "[limits]\ncalls_per_minute = 0\nwrites_per_day = 1_000_001\n[[scopes]]",
        "12:20: `calls_per_minute` must be a whole number from 1 to 1000000\n13:18: `writes_per_day` must be a whole number from 1 to 1000000",
    ),
    (
        "[[scopes]]",
        "[limits]\ncalls_per_minute = -1\nwrites_per_day = 99999999999\n[[scopes]]",
        "12:20: `calls_per_minute` must be a whole number from 1 to 1000000\n13:18: `writes_per_day` must be a whole number from 1 to 1000000",
    ),
    (
        "[[scopes]]",
        "[limits]\ncalls_per_minute = \"60\"\nwrites_per_day = 1.5\n[[scopes]]",
        "12:20: `calls_per_minute` must be a whole number, and this is text\n13:18: `writes_per_day` must be a whole number, and this is a number",
    ),
    (
        "[[scopes]]",
        "[limits]\nover_limit = \"tool_error\"\ncalls_per_hour = 9\n[[scopes]]",
        "12:14: `over_limit` cannot be `tool_error`; did you mean `tool-error`?\n13:1: unknown key `calls_per_hour` in [limits]; known are `calls_per_minute`, `writes_per_day`, `over_limit`",
    ),
    (
        r#"tools = ["read_board"]"#,
        r#"hosts = ["mcp.acme.example", "MCP.acme.example"]"#,
        "17:30: `hosts` cannot hold `MCP.acme.example`; HOST",
    ),
    (
        r#"tools = ["read_board"]"#,
        "hosts = [\"mcp.acme.example\"]\n[[servers]]\nname = \"more\"\ntitle = \"More\"\nhosts = [\"x.example\", \"mcp.acme.example\"]",
        "21:23: `mcp.acme.example` stands twice among the `hosts` of servers",
    ),
    (r#"name = "read""#, r#"name = "raed""#, "12:8: `name` cannot be `raed`; did you mean `read`?"),
    (
        r#"name = "read""#,
        r#"name = "admin""#,
        "12:8: `name` cannot be `admin`; known are `read`, `write`, `delete`",
    ),
    (
        r#"title = "See your boards""#,
        "title = \"S\"\n[[scopes]]\nname = \"read\"\ntitle = \"S\"",
        "15:8: the scope `read` stands twice",
    ),
    (r#"title = "See your boards""#, "", "11:1: missing key `title` in [[scopes]]"),
    (r#"name = "boards""#, r#"name = "Acme boards""#, "15:8: `name` SLUG"),
    (
        r#"name = "boards""#,
        "name = \"b\"\ntitle = \"B\"\n[[servers]]\nname = \"b\"",
        "18:8: `b` stands twice as a server's `name`",
    ),
    (
        r#"title = "Acme boards""#,
        r#"title = "A\tB""#,
        "16:9: `title` must be one line of at most 120 characters",
    ),
    (
        r#"tools = ["read_board"]"#,
        r#"tools = "read_board""#,
        "17:9: `tools` must be a list of names, and this is text",
    ),
    (
        r#"tools = ["read_board"]"#,
        r#"tools = ["read_board", 1]"#,
        "17:24: `tools` must be text, and this is a whole number",
    ),
    (
        r#"tools = ["read_board"]"#,
        r#"tools = ["a", "b", "a"]"#,
        "17:20: `a` stands twice in `tools`",
    ),
    (
        r#"tools = ["read_board"]"#,
        r#"modules = ["m", "m"]"#,
        "17:17: `m` stands twice in `modules`",
    ),
    (
        r#"tools = ["read_board"]"#,
        "tool = []",
        "17:1: unknown key `tool` in [[servers]]; did you mean `tools`?",
    ),
    (r#"tools = ["read_board"]"#, r#"access_token = "forever""#, "17:16: LIFETIME"),
    (
        r#"export = "paid per call""#,
        r#"export = """#,
        "19:10: `export` must be denied with a reason of at most 300 characters",
    ),
    (
        r#"export = "paid per call""#,
        "export = true",
        "19:10: `export` must be text, and this is true or false",
    ),
    (
        "read_only = true",
        r#"read_only = "yes""#,
        "21:13: `read_only` must be true or false, and this is text",
    ),
    (
        "read_only = true",
        "readonly = true",
        "21:1: unknown key `readonly` in [servers.hints.read_board]; did you mean `read_only`?",
    ),
    (
        "[servers.hints.read_board]",
        "[servers.hints]\nread_board = 1\n[other]",
        "21:14: `read_board` must be a table, and this is a whole number\n22:2: unknown key `other` in the document; known are ROOT",
    ),
    ("[sign_in]", "[sign_in", "5:9: unclosed table, expected `]`"),
    (r#"name = "Acme""#, "name = \"Acme\"\nname = \"Acme\"", "4:1: duplicate key"),
    (
        r#"name = "Acme""#,
        "name = Acme",
        "3:8: string values must be quoted, expected literal string",
    ),
    (
        r#"name = "Acme""#,
        r#"name = "é", accent = 1"#,
        "3:11: unexpected key or value, expected newline, `#`",
    ),
];

// pre:C2
#[test]
fn every_refusal_names_the_place_and_what_to_change() {
    for (line, other, lines) in REFUSALS {
        let lines = lines.replace("SLUG", SLUG).replace("LIFETIME", LIFETIME).replace("ROOT", ROOT);
        let lines = lines.replace("PRIVATE", PRIVATE).replace("PREFIX", PREFIX);
        let lines = lines.replace("HOST", HOST);
        let expected: Vec<String> = lines.lines().map(|line| format!("acme.toml:{line}")).collect();
        assert_eq!(said(&replacing(line, other)), expected.join("\n"), "{line} → {other}");
    }
}

#[test]
fn the_lightest_grey_that_white_text_can_be_read_on_is_the_lightest_accent() {
    let with = |accent: &str| said(&GOOD.replace("#0b57d0", accent));
    assert_eq!(with("#767676"), "well-formed");
    assert_eq!(
        with("#777777"),
        "acme.toml:4:10: `accent` is too light: white text on it has a contrast of 4.48, and 4.5 is needed",
    );
}

#[test]
fn a_private_address_is_taken_only_if_nothing_but_a_client_opens_it() {
    for (uri, is_good) in [
        ("cursor://anysphere.cursor-mcp/oauth/callback", true),
        ("raycast://oauth?package_name=Extension", true),
        ("com.raycast:/oauth", true),
        ("https://client.test/cb", false),
        ("http://localhost/cb", false),
        ("javascript:alert(1)", false),
        ("javascript://client/%0aalert(1)", false),
        ("data:text/html,x", false),
        ("vbscript:x", false),
        ("view-source://x", false),
        ("file:///etc/passwd", false),
        ("Cursor://x", false),
        ("cursor://*/cb", false),
        ("cursor://u@x/cb", false),
        ("cursor://x/cb#y", false),
        ("/cb", false),
    ] {
        let text = replacing("access_token = \"8h\"", &format!("redirect_uris = [\"{uri}\"]"));
        assert_eq!(said(&text) == "well-formed", is_good, "{uri}");
    }
}

#[test]
fn a_host_is_written_as_browsers_send_it() {
    for (host, is_good) in [
        ("mcp.acme.example", true),
        ("localhost", true),
        ("xn--bcher-kva.example", true),
        ("a-1.example", true),
        ("127.0.0.2", true),
        ("[::1]", true),
        ("", false),
        ("mcp.acme.example.", false),
        (".acme.example", false),
        ("mcp..example", false),
        ("Mcp.acme.example", false),
        ("bücher.example", false),
        ("mcp.acme.example:8443", false),
        ("https://mcp.acme.example", false),
        ("mcp.acme.example/", false),
        ("mcp_1.example", false),
        ("-mcp.example", false),
        ("mcp-.example", false),
        ("*.acme.example", false),
        ("127.1", false),
        ("0x7f.0.0.1", false),
        ("127.0.0.256", false),
        ("::1", false),
        ("[0:0:0:0:0:0:0:1]", false),
        ("[::1]:80", false),
        ("mcp.acme%2eexample", false),
        ("mcp.acme.example ", false),
        (&format!("{}.example", "a".repeat(63)), true),
        (&format!("{}.example", "a".repeat(64)), false),
        (&["a.".repeat(126).as_str(), "b"].concat(), true),
        (&["a.".repeat(126).as_str(), "bc"].concat(), false),
    ] {
        let text = replacing("tools = [\"read_board\"]", &format!("hosts = [\"{host}\"]"));
        assert_eq!(said(&text) == "well-formed", is_good, "{host}");
    }
}

#[test]
fn an_empty_document_is_told_everything_that_it_lacks() {
    assert_snapshot!(said(""), @"
    acme.toml:1:1: missing key `tenant` in the document
    acme.toml:1:1: missing key `brand` in the document
    acme.toml:1:1: missing key `sign_in` in the document
    acme.toml:1:1: missing key `directory` in the document
    acme.toml:1:1: missing key `scopes` in the document
    acme.toml:1:1: missing key `servers` in the document
    ");
}

#[test]
fn a_section_that_is_no_table_is_named() {
    let text = "tenant = \"a\"\nbrand = 1\nsign_in = []\ndirectory = \"managed\"\noauth = true\nscopes = {}\nservers = [1]";
    assert_snapshot!(said(text), @"
    acme.toml:2:9: `brand` must be a table, and this is a whole number
    acme.toml:3:11: `sign_in` must be a table, and this is a list
    acme.toml:4:13: `directory` must be a table, and this is text
    acme.toml:5:9: `oauth` must be a table, and this is true or false
    acme.toml:6:10: `scopes` must be a list of tables, and this is a table
    acme.toml:7:12: `servers` must be a list of tables, and this is a whole number
    ");
}

#[test]
fn instructions_and_documents_have_a_size() {
    let instructions = |length: usize| {
        replacing(
            "title = \"Acme boards\"",
            &format!("title = \"B\"\ninstructions = \"{}\"", "é".repeat(length)),
        )
    };
    assert_eq!(said(&instructions(4_000)), "well-formed");
    assert_eq!(
        said(&instructions(4_001)),
        "acme.toml:17:16: `instructions` has 4001 characters, and 4000 is the most",
    );
    let padded = format!("{GOOD}#{}", " ".repeat(262_144));
    assert_eq!(said(&padded), "acme.toml:1:1: longer than 262144 bytes");
}

#[test]
fn a_document_with_very_many_problems_is_answered_with_the_first_fifty() {
    let lines: Vec<String> = (0..200).map(|number| format!("k{number} = 1")).collect();
    assert_eq!(said(&lines.join("\n")).lines().count(), 50);
}

proptest! {
    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        said(&text);
    }

    #[test]
    fn a_damaged_document_is_answered(at in 0..GOOD.len(), damage in "[\\[\\]{}\"'=.,#\\n\\\\a0é]{0,3}") {
        let text = format!("{}{damage}{}", &GOOD[..at], &GOOD[at..]);
        said(&text);
    }
}
