//! The endpoint of a server: both eras on one address, who may come in and in which order that is
//! told, and that nothing of a message is looked at before.

mod batch;
mod entrance;
mod order;
mod revisions;

use axum::body::Body;
use http::{Method, Request, header};
use portico_testkit::{Answer, Client, Connection, Database, Tenant};
use serde_json::{Value, json};

/// A vendor, one person of it, and the app that they allowed.
struct World {
    db: Database,
    acme: Tenant,
    claude: Connection,
}

impl World {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").await;
        let claude = ada.connect(Client::claude()).await;
        Self { db, acme, claude }
    }

    /// A request to the server with these headers and an empty list of parameters.
    fn request(&self, method: Method, headers: &[(&str, &str)]) -> Request<Body> {
        let mut request = Request::builder()
            .method(method)
            .uri(self.acme.resource())
            .header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::from(LIST)).unwrap()
    }

    async fn send(&self, method: Method, headers: &[(&str, &str)]) -> Answer {
        self.acme.gateway.send(self.request(method, headers)).await
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.claude.token)
    }
}

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// Status, the headers that clients act on, and the body.
fn whole(answer: &Answer) -> String {
    let headers = ["www-authenticate", "allow", "retry-after"];
    let headers: String = headers
        .into_iter()
        .filter_map(|name| answer.header(name).map(|value| format!("\n{name}: {value}")))
        .collect();
    format!("{}{headers}\n{}", answer.status.as_u16(), answer.body)
}

fn names(answer: &Answer) -> Vec<String> {
    let list = answer.json();
    let tools = list["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

// pre:C3, pre:C4, pre:C8, mcp:H1, mcp:H5, mcp:H13, mcp:H14, mcp:H15, cli:67
#[tokio::test]
async fn a_client_of_the_handshake_era_is_served() {
    let world = World::new().await;
    let claude = &world.claude;

    let hello = claude
        .ask("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {} }))
        .await;
    insta::assert_json_snapshot!(hello.json(), { ".result.instructions" => "[instructions]" }, @r#"
    {
      "id": 1,
      "jsonrpc": "2.0",
      "result": {
        "capabilities": {
          "tools": {}
        },
        "instructions": "[instructions]",
        "protocolVersion": "2025-06-18",
        "serverInfo": {
          "name": "boards",
          "title": "Acme boards",
          "version": "0.1.0"
        }
      }
    }
    "#);
    assert_eq!(hello.header("mcp-session-id"), None);

    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let accepted = claude.send(ready, &[("mcp-protocol-version", "2025-06-18")]).await;
    assert_eq!(accepted.brief(), "202 ");

    let pong = claude.ask("ping", json!({})).await;
    assert_eq!(pong.brief(), r#"200 {"jsonrpc":"2.0","id":1,"result":{}}"#);

    let unknown = claude.ask("resources/list", json!({})).await;
    assert_eq!(
        unknown.brief(),
        r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: resources/list"}}"#
    );

    let unstated = claude.send(LIST, &[]).await;
    assert_eq!(
        names(&unstated),
        [
            "list_workspaces",
            "list_boards",
            "read_board",
            "create_board",
            "create_card",
            "update_card",
            "move_card"
        ]
    );
}

// pre:C15g, mcp:M1, mcp:M7, mcp:M8, mcp:M9, mcp:M12, cli:65
#[tokio::test]
async fn a_client_of_the_per_request_era_is_served_at_the_same_address() {
    let world = World::new().await;
    let claude = &world.claude;
    let modern = claude.clone().per_request();

    let discovered = modern.ask("server/discover", json!({})).await;
    insta::assert_json_snapshot!(discovered.json(), { ".result.instructions" => "[instructions]" }, @r#"
    {
      "id": 1,
      "jsonrpc": "2.0",
      "result": {
        "_meta": {
          "io.modelcontextprotocol/serverInfo": {
            "name": "boards",
            "title": "Acme boards",
            "version": "0.1.0"
          }
        },
        "cacheScope": "private",
        "capabilities": {
          "tools": {}
        },
        "instructions": "[instructions]",
        "resultType": "complete",
        "supportedVersions": [
          "2026-07-28",
          "2025-11-25",
          "2025-06-18",
          "2025-03-26"
        ],
        "ttlMs": 60000
      }
    }
    "#);

    let gone = modern.ask("ping", json!({})).await;
    assert_eq!(
        gone.brief(),
        r#"404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: ping"}}"#
    );

    let tools = |answer: Answer| answer.json()["result"]["tools"].clone();
    let (old, new) = (
        tools(claude.ask("tools/list", json!({})).await),
        tools(modern.ask("tools/list", json!({})).await),
    );
    assert_eq!(old, new);

    let said = |answer: &Answer| answer.json()["result"]["content"][0]["text"].clone();
    let old = claude.call("list_boards", json!({})).await.0;
    let new = modern.call("list_boards", json!({})).await.0;
    assert_eq!(said(&old), said(&new));
    assert_eq!(new.json()["result"]["resultType"], "complete");
}

// mcp:T1, sec:J14
#[tokio::test]
async fn an_unknown_tool_is_a_fault_of_the_call_in_both_eras() {
    let world = World::new().await;
    let claude = &world.claude;
    let modern = claude.clone().per_request();

    for app in [claude, &modern] {
        let answer = app.call("Read_board", json!({})).await.0;
        assert_eq!(
            answer.brief(),
            r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: Read_board"}}"#
        );
    }
}

// sec:J03
#[tokio::test]
async fn a_header_that_lies_about_the_tool_keeps_it_from_running() {
    let world = World::new().await;
    let (db, claude) = (&world.db, &world.claude);
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "create_board", "arguments": { "title": "Plans" },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let lying = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "list_boards"),
    ];

    let answer = claude.send(&body.to_string(), &lying).await;

    assert_eq!(
        answer.brief(),
        r#"400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: Mcp-Name header value 'list_boards' does not match body value 'create_board'"}}"#
    );
    assert_eq!(db.rows("select title from boards").await, [] as [Value; 0]);
}

// sec:J10
#[tokio::test]
async fn the_character_nul_is_a_fault_of_the_call_and_not_of_ours() {
    let world = World::new().await;
    let claude = &world.claude;

    let workspace = claude.call("list_boards", json!({ "workspace": "do\0cs" })).await;
    let title = claude.call("create_board", json!({ "title": "Pl\0ans" })).await;
    let tool = claude.call("list\0boards", json!({})).await;

    assert_eq!(workspace.0.status, 200);
    assert!(workspace.is_error());
    assert_eq!(title.0.status, 200);
    assert!(title.is_error());
    assert_eq!(
        tool.0.brief(),
        r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: list\u0000boards"}}"#
    );
}

#[tokio::test]
async fn another_declaration_is_obeyed_from_the_next_call_on() {
    let world = World::new().await;
    let (acme, claude) = (&world.acme, &world.claude);
    let fewer = acme.document().replace(r#""list_boards", "#, "");
    assert_ne!(fewer, acme.document());

    acme.apply(&fewer).await;

    let list = claude.ask("tools/list", json!({})).await;
    assert_eq!(
        names(&list),
        [
            "list_workspaces",
            "read_board",
            "create_board",
            "create_card",
            "update_card",
            "move_card"
        ]
    );
    let call = claude.call("list_boards", json!({})).await.0;
    assert_eq!(
        call.brief(),
        r#"200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: list_boards"}}"#
    );
}
