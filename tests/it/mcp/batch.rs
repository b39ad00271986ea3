//! Several messages in one body, as clients of 2025-03-26 send them.

use portico_testkit::{Answer, Connection, without_ids};
use serde_json::{Value, json};

use super::{LIST, World, whole};

const NOTICE: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn calling(id: impl Into<Value>, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params })
}

fn pinging(id: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "ping" })
}

async fn deliver(connection: &Connection, batch: &[Value]) -> Answer {
    connection.send(&Value::from(batch).to_string(), &[]).await
}

/// A line for each answer: its id, and what a person would read of it.
fn told(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answers = answer.json();
    let line = |it: &Value| {
        let id = it.get("id").map_or("-".to_owned(), Value::to_string);
        let text = &it["result"]["content"][0]["text"];
        match (it.get("error"), text.as_str()) {
            (Some(error), _) => format!("{id} {} {}", error["code"], error["message"]),
            (None, Some(text)) => format!("{id} {text}"),
            (None, None) => format!("{id} {}", it["result"].as_object().unwrap().len()),
        }
    };
    answers.as_array().unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
}

// mcp:H11, pre:C15h
#[tokio::test]
async fn a_batch_is_answered_in_the_order_of_its_requests() {
    let world = World::new().await;
    let notice: Value = serde_json::from_str(NOTICE).unwrap();
    let list: Value = serde_json::from_str(LIST).unwrap();
    let batch = [
        pinging("a"),
        notice.clone(),
        calling(7, "list_boards", &json!({})),
        list,
        calling(8, "gone", &json!({})),
        json!(5),
        calling("a", "list_boards", &json!({ "workspace": "nowhere" })),
    ];

    insta::assert_snapshot!(told(&deliver(&world.claude, &batch).await), @r#"
    "a" 0
    7 The workspace "docs" has no boards yet. create_board makes one.
    1 1
    8 -32602 "Unknown tool: gone"
    - -32600 "Invalid request: not an object"
    "a" You have no such workspace. Call again with `workspace` set to one of: "docs" (docs.example).
    "#);
    let noted = deliver(&world.claude, &[notice.clone(), notice]).await;
    assert_eq!(noted.brief(), "202 ");
    let listed = world.claude.send(&format!("[{LIST}]"), &[]).await;
    let alone = world.claude.send(LIST, &[]).await;
    assert_eq!(listed.body, format!("[{}]", alone.body));
}

// mcp:H11, mcp:M18, sec:J06
#[tokio::test]
async fn nothing_of_a_batch_runs_where_it_is_refused() {
    let world = World::new().await;
    let create = |title: String| calling(1, "create_board", &json!({ "title": title }));
    let modern = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/list",
        "params": { "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
    let refuse = async |version: Option<&'static str>, batch: Vec<Value>| {
        let headers: Vec<_> =
            version.map(|version| ("mcp-protocol-version", version)).into_iter().collect();
        let answer = world.claude.send(&Value::from(batch).to_string(), &headers).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["error"]["code"].as_i64()),
            (400, Some(-32600))
        );
    };

    refuse(Some("2025-06-18"), vec![create("a".to_owned())]).await;
    refuse(Some("2025-11-25"), vec![create("b".to_owned())]).await;
    refuse(Some("2026-07-28"), vec![create("c".to_owned())]).await;
    refuse(None, vec![create("d".to_owned()), modern]).await;
    refuse(None, (0..51).map(|it| create(format!("e{it}"))).collect()).await;
    refuse(None, vec![]).await;

    assert_eq!(world.db.rows("select title from boards").await, [] as [Value; 0]);
}

// mcp:H11, sec:I08
#[tokio::test]
async fn each_call_of_a_batch_is_let_in_and_judged_and_recorded_by_itself() {
    let world = World::new().await;
    let batch = [
        calling(1, "create_board", &json!({ "title": "First" })),
        calling(2, "list_boards", &json!({ "workspace": "docs.example" })),
        calling(3, "list_boards", &json!({ "workspace": "elsewhere" })),
        calling(4, "list_workspaces", &json!({})),
    ];

    insta::assert_snapshot!(without_ids(&told(&deliver(&world.claude, &batch).await)), @r#"
    1 Created the board "First" [id] (https://app.acme.example/boards/id) with the columns "To do", "Doing", "Done".
    2 Boards of the workspace "docs":
    - First [id] https://app.acme.example/boards/id: 3 columns, 0 cards
    3 You have no such workspace. Call again with `workspace` set to one of: "docs" (docs.example).
    4 Your workspaces:
    - docs [id], also called docs.example; account docs; you may read and write (member)
    "#);
    world.db.execute("update connections set scopes = '{read}'").await;
    insta::assert_snapshot!(without_ids(&told(&deliver(&world.claude, &batch[..2]).await)), @r#"
    1 -32600 "create_board needs a connection with read write; connect again and allow it"
    2 Boards of the workspace "docs":
    - First [id] https://app.acme.example/boards/id: 3 columns, 0 cards
    "#);
    world.db.wait_for_calls(6).await;
}

// mcp:R12, sec:I02
#[tokio::test]
async fn what_ends_in_the_middle_of_a_batch_ends_for_the_rest() {
    let world = World::new().await;
    world
        .db
        .execute(
            "create function ending() returns trigger language plpgsql as $$ begin
                 update connections set ended_at = now(), end_reason = 'person'; return new;
             end $$;
             create trigger ending after insert on boards
             for each row execute function ending()",
        )
        .await;
    let batch = [
        calling(1, "create_board", &json!({ "title": "First" })),
        calling(2, "create_board", &json!({ "title": "Second" })),
        pinging(3),
        calling(4, "list_workspaces", &json!({})),
    ];

    insta::assert_snapshot!(without_ids(&told(&deliver(&world.claude, &batch).await)), @r#"
    1 Created the board "First" [id] (https://app.acme.example/boards/id) with the columns "To do", "Doing", "Done".
    2 -32600 "Sign in again: the access token is not valid here"
    3 -32600 "Sign in again: the access token is not valid here"
    4 -32600 "Sign in again: the access token is not valid here"
    "#);
    let boards = world.db.rows("select title from boards").await;
    assert_eq!(boards, [json!({ "title": "First" })]);
    let refused = deliver(&world.claude, &batch).await;
    assert_eq!(whole(&refused), whole(&world.claude.send(LIST, &[]).await));
    assert_eq!(refused.status, 401);
}
