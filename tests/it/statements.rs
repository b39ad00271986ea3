//! What a call asks the database: counted by Postgres itself.

use portico_testkit::{Client, Database, Tenant, setting};
use serde_json::{Value, json};

const CALLS: u64 = 20;

/// Begin and end of the tool's own transaction, and what its module asks in it.
const OWN: &[&str] = &["BEGIN", "COMMIT", "boards"];

/// Of the record, which is written in batches.
const RECORD: &[&str] = &["insert into calls", "update connections"];

// The law: one statement before the tool runs.
#[tokio::test]
async fn a_read_costs_one_statement_beside_the_tools_own_and_the_batched_record() {
    let db = Database::new().await;
    if !can_count(&db).await {
        return;
    }
    // A minute that does not end: the next one is another lease.
    db.set_clock("2030-01-01 09:30:05+00").await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    // The first call also prepares its statements, and leases the next ones.
    claude.call("list_boards", json!({ "workspace": "docs.example" })).await;
    db.wait_for_calls(1).await;

    db.execute("select pg_stat_statements_reset()").await;
    for _ in 0..CALLS {
        let called = claude.call("list_boards", json!({ "workspace": "docs.example" })).await;
        assert!(!called.is_error(), "{called}");
    }
    let statements = counted(&db).await;
    db.wait_for_calls(CALLS + 1).await;
    let record = counted(&db).await;

    let admits: Vec<_> = statements.iter().filter(|(text, _)| is_admit(text)).collect();
    assert_eq!(admits.iter().map(|(_, calls)| *calls).collect::<Vec<_>>(), [CALLS], "{admits:#?}");
    let others: Vec<_> = statements
        .iter()
        .chain(&record)
        .filter(|(text, _)| {
            let is_known = |known: &&str| text.contains(known);
            !is_admit(text) && !OWN.iter().chain(RECORD).any(is_known)
        })
        .collect();
    assert!(others.is_empty(), "{others:#?}");
    let batches: u64 = record
        .iter()
        .filter(|(text, _)| text.contains("insert into calls"))
        .map(|(_, calls)| calls)
        .sum();
    assert!((1..CALLS).contains(&batches), "{batches} batches of {CALLS} calls");
}

// mcp:H11
#[tokio::test]
async fn a_batch_costs_one_statement_to_come_in_and_one_a_call() {
    let db = Database::new().await;
    if !can_count(&db).await {
        return;
    }
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_boards"}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let batch = format!("[{call},{ping},{call},{ping},{call}]");
    claude.send(&batch, &[]).await;

    db.execute("select pg_stat_statements_reset()").await;
    let answer = claude.send(&batch, &[]).await;
    let statements = counted(&db).await;

    assert_eq!((answer.status.as_u16(), answer.json().as_array().unwrap().len()), (200, 5));
    let admits = statements.iter().filter(|(text, _)| is_admit(text)).map(|(_, calls)| calls);
    assert_eq!(admits.sum::<u64>(), 1 + 3, "{statements:#?}");
}

// sec:J12, pre:O25
#[tokio::test]
async fn what_can_be_no_token_never_reaches_the_database() {
    let db = Database::new().await;
    if !can_count(&db).await {
        return;
    }
    let acme = Tenant::new(&db).await;
    let legacy = "[oauth]\nlegacy_token_prefixes = [\"acme_live_\"]";
    acme.apply(&acme.document().replace("[oauth]", legacy)).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    db.execute("select pg_stat_statements_reset()").await;
    let token = claude.token.clone();
    let refused = async |guess: &str| {
        let mut stranger = claude.clone();
        guess.clone_into(&mut stranger.token);
        assert_eq!(stranger.call("list_workspaces", json!({})).await.0.status, 401, "{guess}");
    };
    for guess in [
        "",
        "x",
        "1234567",
        "two words",
        "portico_at_",
        &token[..token.len() - 1],
        &token.replace("_at_", "_ac_"),
    ] {
        refused(guess).await;
    }
    assert_eq!(counted(&db).await, []);
    // What another system may have minted asks whether the tenant has a newer declaration, and
    // never for itself, unless it begins as that says.
    for guess in ["acme_test_1", "acme_live"] {
        refused(guess).await;
    }
    let asked = counted(&db).await;
    let versions = "select state, version from tenants where slug = $1".to_owned();
    assert_eq!(asked, [(versions.clone(), 2)]);
    refused("acme_live_1").await;
    let mut asked = counted(&db).await;
    asked.retain(|(text, _)| *text != versions);
    let asked: Vec<_> = asked.iter().map(|(text, calls)| (is_admit(text), *calls)).collect();
    assert_eq!(asked, [(true, 1)], "what looks like a token from before is looked up");
}

fn is_admit(text: &str) -> bool {
    text.contains("from access_tokens a")
}

/// Statements since the reset, without those of the test itself.
async fn counted(db: &Database) -> Vec<(String, u64)> {
    let rows = db
        .rows(
            "select s.query, s.calls from pg_stat_statements s
             join pg_database d on d.oid = s.dbid
             where d.datname = current_database() and s.query not like '%pg_stat_statements%'
               and s.query not like '%looked%'
             order by s.query",
        )
        .await;
    let read =
        |row: &Value| (row["query"].as_str().unwrap().to_owned(), row["calls"].as_u64().unwrap());
    rows.iter().map(read).collect()
}

/// Some packages of Postgres come without the extension; as root, and in CI, there is another.
async fn can_count(db: &Database) -> bool {
    let available = db
        .rows(
            "select 1 from pg_available_extensions
             where name = 'pg_stat_statements'
               and current_setting('shared_preload_libraries') like '%pg_stat_statements%'",
        )
        .await;
    if available.is_empty() {
        let needed = setting::text("CI").is_some();
        assert!(!needed, "this Postgres cannot count statements");
        return false;
    }
    db.execute("create extension if not exists pg_stat_statements").await;
    true
}
