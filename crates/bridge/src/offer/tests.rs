use std::borrow::Cow;

use portico_declaration::{Lifetime, Offered};
use portico_mcp::Revision;
use portico_model::{Hints, Scope, Slug, WorkspaceId};
use portico_registry::{Answer, Command, Context, Error, Query, Tool};
use portico_storage::Tx;
use serde_json::value::RawValue;

use super::*;

struct Look;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct At {
    /// What to look at.
    #[schemars(length(min = 1))]
    thing: String,
}

impl Query for Look {
    const NAME: &'static str = "look";
    const TITLE: &'static str = "Look";
    const DESCRIPTION: &'static str = "Looks at a thing.";
    type Arguments = At;

    async fn run(_: &mut Tx, _: &Context, at: At) -> Result<Answer, Error> {
        Ok(Answer::new(at.thing))
    }
}

struct Drop;

impl Command for Drop {
    const NAME: &'static str = "drop";
    const TITLE: &'static str = "Drop";
    const DESCRIPTION: &'static str = "Drops a thing.";
    const SCOPE: Scope = Scope::Delete;
    const HINTS: Hints = Hints {
        read_only: Some(false),
        destructive: Some(true),
        idempotent: None,
        open_world: None,
    };
    type Arguments = At;

    async fn run(_: &mut Tx, _: &Context, at: At) -> Result<Answer, Error> {
        Ok(Answer::new(at.thing))
    }
}

struct Greedy;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Taken {
    workspace: String,
}

impl Query for Greedy {
    const NAME: &'static str = "greedy";
    const TITLE: &'static str = "Greedy";
    const DESCRIPTION: &'static str = "Has our word.";
    type Arguments = Taken;

    async fn run(_: &mut Tx, _: &Context, taken: Taken) -> Result<Answer, Error> {
        Ok(Answer::new(taken.workspace))
    }
}

fn modules() -> Vec<Module> {
    let tools = vec![Tool::query::<Look>(), Tool::command::<Drop>(), Tool::query::<Greedy>()];
    vec![Module { name: "things", tools }]
}

fn server(tools: &[(&str, Hints)]) -> Server {
    Server {
        name: Slug::parse("things").unwrap(),
        title: "Things".to_owned(),
        instructions: None,
        access_token: Lifetime::UntilRevoked,
        hosts: Vec::new(),
        tools: tools
            .iter()
            .map(|(name, hints)| Offered { name: (*name).to_owned(), hints: *hints })
            .collect(),
    }
}

// pre:C1, pre:C9, pre:A2, pre:O15, mcp:M12, cli:85
#[test]
fn a_list_has_the_declared_tools_in_their_order_with_the_declared_hints() {
    let hints = Hints { destructive: Some(false), idempotent: Some(true), ..Hints::default() };
    let server = server(&[("drop", hints), ("look", Hints::default())]);
    let offer = Offer::compile(&server, &modules()).unwrap();
    let list: serde_json::Value =
        serde_json::from_str(offer.list().json(Revision::V2025_11_25).get()).unwrap();

    insta::assert_json_snapshot!(list);
}

// sec:K06
#[test]
fn a_server_that_cannot_be_offered_says_why() {
    let none = Hints::default();
    for (tools, words) in [
        (
            &[("greedy", none)][..],
            "the tool greedy has a property `workspace` of its own, which is the gateway's word",
        ),
        (&[("gone", none)], "no module has the tool gone"),
        (&[("look", none), ("look", none)], "the tool look is named twice"),
    ] {
        let error = Offer::compile(&server(tools), &modules()).unwrap_err();
        assert_eq!(error.to_string(), words);
    }
}

fn asked<'c>(name: &'c str, arguments: &'c RawValue, workspace: Option<&'c str>) -> CallTool<'c> {
    let workspace = workspace.map(Cow::Borrowed);
    CallTool { name: Cow::Borrowed(name), arguments: Some(arguments), workspace }
}

#[test]
fn the_statement_looks_up_only_what_the_tool_needs() {
    let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let offer = Offer::compile(&server(&[("look", Hints::default())]), &modules()).unwrap();
    let nothing: &RawValue = serde_json::from_str("{}").unwrap();
    let read =
        |name, workspace, pin| match offer.reference(Some(&asked(name, nothing, workspace)), pin) {
            Reference::Unneeded => "unneeded".to_owned(),
            Reference::Sole => "sole".to_owned(),
            Reference::Id(id) => format!("id {id}"),
            Reference::Alias(alias) => format!("alias {alias}"),
        };
    assert!(id.parse::<WorkspaceId>().is_ok());
    for (name, workspace, pin, expected) in [
        ("look", None, None, "sole"),
        ("look", Some(""), None, "sole"),
        ("look", Some("  "), None, "sole"),
        ("look", Some(id), None, &*format!("id {id}")),
        ("look", Some(&*id.to_uppercase()), None, &format!("id {id}")),
        ("look", Some(" docs.example "), None, "alias docs.example"),
        ("list_workspaces", Some("docs"), None, "unneeded"),
        ("gone", Some("docs"), None, "unneeded"),
        ("look", None, Some(id), &format!("id {id}")),
        ("look", Some(" "), Some("docs.example"), "alias docs.example"),
        ("look", Some("shop.example"), Some(id), "alias shop.example"),
        ("list_workspaces", None, Some(id), "unneeded"),
    ] {
        assert_eq!(read(name, workspace, pin), expected, "{name} {workspace:?} {pin:?}");
    }
}

#[test]
fn an_address_that_only_reads_has_no_tool_that_writes() {
    let hints = Hints::default();
    let offer = Offer::compile(&server(&[("drop", hints), ("look", hints)]), &modules()).unwrap();
    let names = |offer: &Offer| {
        let list = offer.list().json(Revision::V2025_11_25).get();
        let list: serde_json::Value = serde_json::from_str(list).unwrap();
        let name = |tool: &serde_json::Value| tool["name"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    let (all, reading) = (offer.narrowed(false), offer.narrowed(true));

    assert_eq!(names(all), ["list_workspaces", "drop", "look"]);
    assert_eq!(names(reading), ["list_workspaces", "look"]);
    assert!(all.tool("drop").is_some());
    assert!(reading.tool("drop").is_none());
    assert!(reading.tool("look").is_some());
    assert_eq!(names(reading.narrowed(true)), names(reading));
}
