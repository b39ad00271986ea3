//! Each revision as its clients speak it: what is agreed on, and what an answer has in it.

use http::{Request, header};
use serde_json::{Value, json};

use super::{LIST, World, names};

/// What an answer to a request of that revision has.
const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

fn initialize(version: &str) -> String {
    let params = json!({ "protocolVersion": version, "capabilities": {} });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

// mcp:H14, cli:67
#[tokio::test]
async fn a_handshake_agrees_on_what_is_asked_for_or_on_the_newest_there_is() {
    let world = World::new().await;
    for (asked, agreed) in [
        ("2024-11-05", "2025-11-25"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        // Some clients shake hands twice on one token.
        for _ in 0..2 {
            let answer = world.claude.send(&initialize(asked), &[]).await;
            assert_eq!(answer.status, 200, "{asked}");
            assert_eq!(answer.json()["result"]["protocolVersion"], agreed, "{asked}");
            assert_eq!(answer.header("mcp-session-id"), None);
        }
    }
}

// mcp:H13, mcp:T4
#[tokio::test]
async fn what_a_revision_does_not_have_is_left_out() {
    let world = World::new().await;
    let claude = &world.claude;
    let unstated = claude.send(LIST, &[]).await;

    for version in REVISIONS {
        let headers = [("mcp-protocol-version", version)];
        let hello = claude.send(&initialize(version), &headers).await.json();
        let list = claude.send(LIST, &headers).await;
        let is_first = version == "2025-03-26";

        assert_eq!(hello["result"]["serverInfo"].get("title").is_none(), is_first, "{version}");
        assert_eq!(list.body == unstated.body, is_first, "{version}");
        assert_eq!(names(&list), names(&unstated), "{version}");
        let list = list.json();
        for tool in list["result"]["tools"].as_array().unwrap() {
            assert_eq!(tool.get("title").is_none(), is_first, "{version}: {tool}");
            for later in ["outputSchema", "icons", "execution"] {
                assert_eq!(tool.get(later), None, "{version}: {tool}");
            }
            assert!(tool["annotations"].is_object(), "{version}: {tool}");
        }
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "list_boards", "arguments": {} },
        });
        let result = claude.send(&call.to_string(), &headers).await.json()["result"].clone();
        let mut has: Vec<_> = result.as_object().unwrap().keys().cloned().collect();
        has.sort();
        assert_eq!(has, ["content", "isError"], "{version}");
    }
}

// cli:65, cli:66, mcp:H10
#[tokio::test]
async fn a_probe_for_the_newest_revision_is_answered_with_its_own_id() {
    let world = World::new().await;
    let id = "server-discover-probe-1";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "claude-code", "version": "2.1.332" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let probe = json!({
        "jsonrpc": "2.0", "id": id, "method": "server/discover", "params": { "_meta": meta },
    });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];

    let answer = world.claude.send(&probe.to_string(), &headers).await;
    assert_eq!(answer.status, 200);
    let answer = answer.json();
    assert_eq!(answer["id"], id);
    assert_eq!(answer["result"]["supportedVersions"][0], "2026-07-28");
    assert!(answer["result"]["ttlMs"].is_u64());

    let bare = json!({ "jsonrpc": "2.0", "id": id, "method": "server/discover" });
    let refused = world.claude.send(&bare.to_string(), &[]).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["id"], id);
}

// sec:J05, mcp:M1
#[tokio::test]
async fn headers_of_a_later_era_prove_nothing_in_an_earlier_one() {
    let world = World::new().await;
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "list_boards", "arguments": {} },
    });
    let lying = [("mcp-method", "tools/list"), ("mcp-name", "create_board")];
    let plain = world.claude.send(&call.to_string(), &[]).await;
    assert_eq!(plain.status, 200);

    for version in [None, Some("2025-03-26"), Some("2025-06-18"), Some("2025-11-25")] {
        let mut headers = lying.to_vec();
        headers.extend(version.map(|version| ("mcp-protocol-version", version)));
        let answer = world.claude.send(&call.to_string(), &headers).await;
        assert_eq!(answer.brief(), plain.brief(), "{version:?}");
    }
}

// Libraries send it with everything, also where there is nothing to agree on.
#[tokio::test]
async fn a_document_is_the_same_whatever_version_its_reader_speaks() {
    let world = World::new().await;
    for path in ["oauth-protected-resource/mcp/boards", "oauth-authorization-server"] {
        let url = world.acme.url(&format!("/.well-known/{path}"));
        let expected = world.acme.gateway.fetch(&url).await;
        assert_eq!(expected.status, 200);
        for version in ["2024-11-05", "2025-03-26", "2026-07-28", "2099-01-01"] {
            let request = Request::get(&url)
                .header("mcp-protocol-version", version)
                .header(header::ACCEPT, "application/json")
                .body(axum::body::Body::empty())
                .unwrap();
            let answer = world.acme.gateway.send(request).await;
            assert_eq!(answer.brief(), expected.brief(), "{path} {version}");
        }
    }
}

// Codex speaks 2025-06-18 with the headers of 2026-07-28, and ends its session twice.
#[tokio::test]
async fn codex_goes_its_way() {
    let world = World::new().await;
    let claude = &world.claude;
    let version = ("mcp-protocol-version", "2025-06-18");
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

    let hello = claude.send(&initialize("2025-06-18"), &[("mcp-method", "initialize")]).await;
    assert_eq!(hello.json()["result"]["protocolVersion"], "2025-06-18");
    let noted = claude.send(ready, &[version, ("mcp-method", "notifications/initialized")]).await;
    assert_eq!(noted.brief(), "202 ");
    let list = claude.send(LIST, &[version, ("mcp-method", "tools/list")]).await;
    let first = list.json()["result"]["tools"][0]["name"].clone();
    assert_eq!(first, Value::from("list_workspaces"));
    let bearer = world.bearer();
    for _ in 0..2 {
        let headers = [("authorization", bearer.as_str()), version];
        assert_eq!(world.send(http::Method::DELETE, &headers).await.status, 405);
    }
}
