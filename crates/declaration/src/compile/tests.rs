//! What a document may name, and what is said about what it may not.

use std::time::Duration;

use insta::assert_snapshot;

use super::*;
use crate::catalogue::Module;
use crate::compiled::{Lifetime, Limits, OverLimit, Redirects};
use crate::parse;

const DEMO: &str = include_str!("../../../../deploy/demo/acme.toml");

const HEAD: &str = r##"tenant = "acme"
brand = { name = "Acme", accent = "#0b57d0" }
sign_in = { kind = "local" }
directory = { kind = "managed" }
scopes = [{ name = "read", title = "See" }, { name = "write", title = "Change" }]
"##;

fn catalogue() -> Catalogue {
    let module = |name: &str, tools: &[(&str, Scope)]| Module {
        name: name.to_owned(),
        tools: tools
            .iter()
            .map(|(name, scope)| Tool { name: (*name).to_owned(), scope: *scope })
            .collect(),
    };
    let board = [
        ("list_boards", Scope::Read),
        ("read_board", Scope::Read),
        ("create_board", Scope::Write),
        ("create_card", Scope::Write),
        ("update_card", Scope::Write),
        ("move_card", Scope::Write),
    ];
    let signals = [("get_signals", Scope::Read), ("drop_signals", Scope::Delete)];
    Catalogue {
        modules: vec![module("board", &board), module("signals", &signals)],
        built_in: vec!["list_workspaces".to_owned()],
    }
}

/// The tools of the one server that `lines` describe, or what is wrong with it.
fn offered(lines: &str) -> String {
    let text = format!("{HEAD}[[servers]]\nname = \"boards\"\ntitle = \"Boards\"\n{lines}");
    let document = parse("acme.toml", &text).unwrap();
    match compile(&document, &catalogue()) {
        Ok(declaration) => {
            let tools = declaration.servers.iter().flat_map(|server| &server.tools);
            tools.map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ")
        }
        Err(problems) => problems.to_string(),
    }
}

// pre:C1, pre:O13
#[test]
fn a_server_offers_what_it_lists_and_nothing_else() {
    for (lines, expected) in [
        ("", ""),
        ("tools = []", ""),
        ("tools = [\"move_card\", \"list_boards\"]", "move_card list_boards"),
        (
            "modules = [\"board\"]",
            "list_boards read_board create_board create_card update_card move_card",
        ),
        (
            "modules = [\"board\"]\ndeny = { create_board = \"admins make these\", move_card = \"later\" }",
            "list_boards read_board create_card update_card",
        ),
        (
            "modules = [\"signals\"]\ntools = [\"read_board\"]\ndeny = { drop_signals = \"no undo\" }",
            "read_board get_signals",
        ),
        (
            "modules = [\"signals\"]\ntools = [\"get_signals\"]\ndeny = { drop_signals = \"no undo\" }",
            "get_signals",
        ),
    ] {
        assert_eq!(offered(lines), expected, "{lines}");
    }
}

// pre:C2, pre:O13
#[test]
fn a_name_that_leads_nowhere_is_one_clear_line() {
    let tools = "`list_boards`, `read_board`, `create_board`, `create_card`, `update_card`, `move_card`, `get_signals`, `drop_signals`";
    for (lines, expected) in [
        (
            "tools = [\"read_board\", \"move_cards\"]",
            "acme.toml:9:24: there is no tool `move_cards`; did you mean `move_card`?",
        ),
        (
            "tools = [\"export\"]",
            &format!("acme.toml:9:10: there is no tool `export`; known are {tools}"),
        ),
        (
            "tools = [\"list_workspaces\"]",
            "acme.toml:9:10: `list_workspaces` is a part of every server; leave it out",
        ),
        (
            "modules = [\"boards\"]",
            "acme.toml:9:12: there is no module `boards`; did you mean `board`?",
        ),
        (
            "modules = [\"crm\"]",
            "acme.toml:9:12: there is no module `crm`; known are `board`, `signals`",
        ),
        (
            "modules = [\"board\"]\n[servers.deny]\nmove_crad = \"later\"",
            "acme.toml:11:1: there is no tool `move_crad`; did you mean `move_card`?",
        ),
        (
            "tools = [\"move_card\"]\n[servers.deny]\nmove_card = \"later\"",
            "acme.toml:9:10: the tool `move_card` is listed, and denied below",
        ),
        (
            "modules = [\"signals\"]",
            "acme.toml:9:12: the tool `drop_signals` needs the scope `delete`, which [[scopes]] lacks",
        ),
        (
            "tools = [\"drop_signals\"]",
            "acme.toml:9:10: the tool `drop_signals` needs the scope `delete`, which [[scopes]] lacks",
        ),
        (
            "tools = [\"read_board\"]\n[servers.hints.move_card]\nidempotent = true",
            "acme.toml:10:16: hints for `move_card`, which the server `boards` does not offer; only `read_board` is known",
        ),
        (
            "[servers.hints.move_card]\nidempotent = true",
            "acme.toml:9:16: hints for `move_card`, which the server `boards` does not offer; there are none",
        ),
        (
            "tools = [\"read_bord\"]\nmodules = [\"bord\"]\n[servers.deny]\nmove_crad = \"later\"",
            "acme.toml:9:10: there is no tool `read_bord`; did you mean `read_board`?\n\
             acme.toml:10:12: there is no module `bord`; did you mean `board`?\n\
             acme.toml:12:1: there is no tool `move_crad`; did you mean `move_card`?",
        ),
    ] {
        assert_eq!(offered(lines), expected, "{lines}");
    }
}

// pre:O8
#[test]
fn a_server_may_have_a_token_lifetime_of_its_own() {
    let hours = |hours| Lifetime::Expires(Duration::from_hours(hours));
    for (tenants, servers, expected) in [
        ("", "", hours(8)),
        ("access_token = \"2h\"", "", hours(2)),
        ("access_token = \"until-revoked\"", "", Lifetime::UntilRevoked),
        ("access_token = \"2h\"", "access_token = \"until-revoked\"", Lifetime::UntilRevoked),
        ("access_token = \"until-revoked\"", "access_token = \"60m\"", hours(1)),
    ] {
        let text = format!(
            "{HEAD}[oauth]\n{tenants}\n[[servers]]\nname = \"boards\"\ntitle = \"Boards\"\n{servers}"
        );
        let declaration = compile(&parse("acme.toml", &text).unwrap(), &catalogue()).unwrap();
        let server = declaration.server("boards").unwrap();
        assert_eq!(server.access_token, expected, "{tenants} {servers}");
    }
}

// pre:O17, pre:O18
#[test]
fn a_limit_that_is_not_given_is_the_usual_one() {
    let usual =
        Limits { calls_per_minute: 60, writes_per_day: 200, over_limit: OverLimit::ToolError };
    for (lines, expected) in [
        ("", usual),
        ("[limits]", usual),
        ("[limits]\ncalls_per_minute = 1_000_000", Limits { calls_per_minute: 1_000_000, ..usual }),
        ("[limits]\nwrites_per_day = 1", Limits { writes_per_day: 1, ..usual }),
        ("[limits]\nover_limit = \"tool-error\"", usual),
        (
            "[limits]\nover_limit = \"429\"",
            Limits { over_limit: OverLimit::TooManyRequests, ..usual },
        ),
    ] {
        let text = format!("{HEAD}{lines}\n[[servers]]\nname = \"boards\"\ntitle = \"Boards\"");
        let declaration = compile(&parse("acme.toml", &text).unwrap(), &catalogue()).unwrap();
        assert_eq!(declaration.limits, expected, "{lines}");
    }
}

// pre:O4, pre:O25
#[test]
fn hosts_and_earlier_prefixes_are_kept_as_they_were_written() {
    let text = format!(
        "{HEAD}[oauth]\nlegacy_token_prefixes = [\"acme_mcp_\", \"Acme-\"]\n\
         [[servers]]\nname = \"boards\"\ntitle = \"Boards\"\n\
         hosts = [\"mcp.acme.example\", \"127.0.0.2\"]"
    );
    let declaration = compile(&parse("acme.toml", &text).unwrap(), &catalogue()).unwrap();
    assert_eq!(declaration.legacy_token_prefixes, ["acme_mcp_", "Acme-"]);
    assert_eq!(declaration.servers[0].hosts, ["mcp.acme.example", "127.0.0.2"]);
}

// pre:C9, pre:O15
#[test]
fn a_hint_that_is_not_given_stays_the_tools_own() {
    let text = format!(
        "{HEAD}[[servers]]\nname = \"boards\"\ntitle = \"Boards\"\ntools = [\"read_board\", \"move_card\"]\n\
         [servers.hints.move_card]\ndestructive = false\nidempotent = true"
    );
    let declaration = compile(&parse("acme.toml", &text).unwrap(), &catalogue()).unwrap();
    let server = declaration.server("boards").unwrap();
    let hints: Vec<Hints> = server.tools.iter().map(|tool| tool.hints).collect();
    let expected = Hints { destructive: Some(false), idempotent: Some(true), ..Hints::default() };
    assert_eq!(hints, [Hints::default(), expected]);
}

#[test]
fn the_demo_compiles() {
    let document = parse("deploy/demo/acme.toml", DEMO).unwrap();
    let declaration = compile(&document, &catalogue()).unwrap();
    let server = declaration.server("boards").unwrap();
    let tools: Vec<&str> = server.tools.iter().map(|tool| tool.name.as_str()).collect();
    let facts = [
        declaration.tenant.to_string(),
        declaration.brand.name.clone(),
        declaration.brand.accent.to_string(),
        declaration.scope_set().to_string(),
        tools.join(" "),
    ];
    assert_snapshot!(facts.join("\n"), @"
    acme
    Acme
    #0b57d0
    read write
    list_boards read_board create_board create_card update_card move_card
    ");
    assert_eq!(declaration.redirects, Redirects::KnownApps(Vec::new()));
}
