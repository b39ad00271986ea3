use http::HeaderMap;
use serde_json::json;

use super::*;
use crate::incoming::{Incoming, read};
use crate::message::Message;
use crate::tool::{Annotations, Tool};

const SERVER: ServerInfo<'_> =
    ServerInfo { name: "boards", title: Some("Acme boards"), version: "0.1.0" };

fn request(revision: Revision) -> Request<'static> {
    let body = br#"{"jsonrpc":"2.0","id":"a-1","method":"ping"}"#;
    match read(&HeaderMap::new(), body) {
        Ok(Incoming::One(Message::Request(request))) => Request { revision, ..request },
        Ok(Incoming::One(Message::Notice) | Incoming::Batch(_)) | Err(_) => {
            panic!("a ping is a request")
        }
    }
}

fn list() -> ToolList {
    ToolList::new(&[Tool {
        name: "read_board".to_owned(),
        title: None,
        description: "A board.".to_owned(),
        input_schema: json!({"type": "object"}),
        annotations: Annotations::default(),
    }])
}

fn written(answer: Answer<'_>, revision: Revision) -> String {
    answer.body(&request(revision), &SERVER)
}

// pre:C8, mcp:H14, mcp:H15
#[test]
fn a_handshake_is_answered_with_what_was_agreed_on() {
    let told = Answer::Initialized { instructions: Some("Call list_workspaces first.") };
    let silent = Answer::Initialized { instructions: None };

    insta::assert_snapshot!(written(told, Revision::V2025_11_25), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"},"instructions":"Call list_workspaces first."}}"#);
    insta::assert_snapshot!(written(silent, Revision::V2025_06_18), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"}}}"#);
    insta::assert_snapshot!(written(silent, Revision::V2025_03_26), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"boards","version":"0.1.0"}}}"#);
    insta::assert_snapshot!(written(Answer::Pong, Revision::V2025_11_25), @r#"{"jsonrpc":"2.0","id":"a-1","result":{}}"#);
}

// mcp:M8, mcp:M9, mcp:M10, sec:J24
#[test]
fn discovery_says_what_is_served_and_how_long_that_holds() {
    let answer = Answer::Discovered { instructions: None };

    insta::assert_snapshot!(written(answer, Revision::V2026_07_28), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26"],"capabilities":{"tools":{}},"ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"}}}}"#);
}

// mcp:M9, mcp:M10
#[test]
fn a_list_is_marked_for_caches_only_where_the_revision_knows_of_them() {
    let list = list();

    insta::assert_snapshot!(written(Answer::Tools(&list), Revision::V2025_11_25), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"tools":[{"name":"read_board","description":"A board.","inputSchema":{"type":"object"}}]}}"#);
    insta::assert_snapshot!(written(Answer::Tools(&list), Revision::V2026_07_28), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"resultType":"complete","tools":[{"name":"read_board","description":"A board.","inputSchema":{"type":"object"}}],"ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"}}}}"#);
}

// mcp:M9, mcp:T2, mcp:T4
#[test]
fn a_tool_s_result_has_the_form_of_its_revision() {
    let refused = ToolResult::error("no such board");
    let counted = ToolResult::text("3");

    insta::assert_snapshot!(written(Answer::Called(&refused), Revision::V2025_11_25), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"no such board"}],"isError":true}}"#);
    insta::assert_snapshot!(written(Answer::Called(&refused), Revision::V2026_07_28), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"resultType":"complete","content":[{"type":"text","text":"no such board"}],"isError":true,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"}}}}"#);
    insta::assert_snapshot!(written(Answer::Called(&counted), Revision::V2025_06_18), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"3"}],"isError":false}}"#);
    insta::assert_snapshot!(written(Answer::Called(&counted), Revision::V2026_07_28), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"resultType":"complete","content":[{"type":"text","text":"3"}],"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"}}}}"#);
}

#[test]
fn what_programs_are_told_stands_beside_what_the_gateway_says_of_itself() {
    let json = json!({"portico/reason": "rate_limited", "portico/retry_after_seconds": 7});
    let refused = ToolResult::error("try again").with_meta(json.as_object().unwrap().clone());

    insta::assert_snapshot!(written(Answer::Called(&refused), Revision::V2025_11_25), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"try again"}],"isError":true,"_meta":{"portico/reason":"rate_limited","portico/retry_after_seconds":7}}}"#);
    insta::assert_snapshot!(written(Answer::Called(&refused), Revision::V2026_07_28), @r#"{"jsonrpc":"2.0","id":"a-1","result":{"resultType":"complete","content":[{"type":"text","text":"try again"}],"isError":true,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"boards","title":"Acme boards","version":"0.1.0"},"portico/reason":"rate_limited","portico/retry_after_seconds":7}}}"#);
}
