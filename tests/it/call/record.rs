//! Every call is a row: reads soon, writes together with what they changed.

use std::time::Duration;

use portico_storage as storage;
use portico_testkit::Database;
use serde_json::{Value, json};

use super::{NO_BOARDS, World, boards_of, without_ids};

const ROWS: &str = "select provider, operation, server, outcome, reason, arguments, answer,
    workspace_id is not null as has_workspace, duration_us > 0 as has_duration
    from calls order by started_at, operation";

/// Waits until the journal has written so many rows.
async fn rows(db: &Database, count: usize) -> Vec<Value> {
    for _ in 0..500 {
        let rows = db.rows(ROWS).await;
        if rows.len() >= count {
            return rows;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{count} calls were not recorded: {:?}", db.rows(ROWS).await);
}

// pre:C12, pre:O23, pre:A6
#[tokio::test]
async fn every_call_is_recorded_with_who_what_where_and_how_it_ended() {
    let world = World::new().await;
    for (tool, arguments) in [
        ("list_boards", json!({"workspace": "docs"})),
        ("create_board", json!({"workspace": "docs", "title": "Launch"})),
        ("create_board", json!({"workspace": "docs", "title": "Launch"})),
        ("create_board", json!({"workspace": "docs"})),
        ("read_board", json!({"workspace": "nowhere", "board": "Launch"})),
        ("list_workspaces", json!({})),
        ("drop_board", json!({"secret": "not kept"})),
        ("drop\0\u{1b}[31m board", json!({})),
    ] {
        world.claude.call(tool, arguments).await;
    }
    let rows: Vec<String> =
        rows(&world.db, 8).await.iter().map(|row| without_ids(&row.to_string())).collect();

    insta::assert_snapshot!(rows.join("\n"), @r#"
    {"answer":"The workspace \"docs\" has no boards yet. create_board makes one.","arguments":"{\"workspace\":\"docs\"}","has_duration":true,"has_workspace":true,"operation":"tools/call:list_boards","outcome":"answered","provider":"mcp","reason":null,"server":"boards"}
    {"answer":"Created the board \"Launch\" [<id>] (https://app.acme.example/boards/<id>) with the columns \"To do\", \"Doing\", \"Done\".","arguments":"{\"title\":\"Launch\",\"workspace\":\"docs\"}","has_duration":true,"has_workspace":true,"operation":"tools/call:create_board","outcome":"answered","provider":"mcp","reason":null,"server":"boards"}
    {"answer":"title: the workspace has a board \"Launch\" already. Use it, or choose another title.","arguments":"{\"title\":\"Launch\",\"workspace\":\"docs\"}","has_duration":true,"has_workspace":true,"operation":"tools/call:create_board","outcome":"refused","provider":"mcp","reason":"tool","server":"boards"}
    {"answer":"title: is required","arguments":"{\"workspace\":\"docs\"}","has_duration":true,"has_workspace":false,"operation":"tools/call:create_board","outcome":"refused","provider":"mcp","reason":"invalid_arguments","server":"boards"}
    {"answer":"You have no such workspace. Call again with `workspace` set to one of: \"docs\" (docs.example), \"shop\" (shop.example).","arguments":"{\"board\":\"Launch\",\"workspace\":\"nowhere\"}","has_duration":true,"has_workspace":false,"operation":"tools/call:read_board","outcome":"refused","provider":"mcp","reason":"workspace_unknown","server":"boards"}
    {"answer":"Your workspaces:\n- docs [<id>], also called docs.example; account docs; you may read and write (member)\n- shop [<id>], also called shop.example; account shop; you may read and write (member)","arguments":"{}","has_duration":true,"has_workspace":false,"operation":"tools/call:list_workspaces","outcome":"answered","provider":"mcp","reason":null,"server":"boards"}
    {"answer":"","arguments":"{}","has_duration":true,"has_workspace":false,"operation":"tools/call:drop_board","outcome":"refused","provider":"mcp","reason":"unknown_tool","server":"boards"}
    {"answer":"","arguments":"{}","has_duration":true,"has_workspace":false,"operation":"tools/call:drop[31m board","outcome":"refused","provider":"mcp","reason":"unknown_tool","server":"boards"}
    "#);
    let who = world
        .db
        .rows(
            "select distinct c.connection_id = n.connection_id and c.person_id = n.person_id
                and c.client_id = n.client_id and c.tenant_id = n.tenant_id as same
             from calls c cross join connections n",
        )
        .await;
    assert_eq!(who, [json!({"same": true})]);
    let partitions = "select distinct tableoid::regclass::text like 'calls_2%' as daily from calls";
    assert_eq!(world.db.rows(partitions).await, [json!({"daily": true})]);
}

#[tokio::test]
async fn a_write_and_its_row_are_there_at_once_or_not_at_all() {
    let world = World::new().await;
    let create = json!({"workspace": "docs", "title": "Launch"});
    let outcomes = "select operation, outcome from calls
        where operation like '%create_board' and outcome <> 'failed' order by started_at";

    world.db.execute("alter table calls rename column answer to lost").await;
    let failed = world.claude.call("create_board", create.clone()).await;
    insta::assert_snapshot!(without_ids(&failed.to_string()), @r#"refused: The tool failed, and nothing was changed. Try again; if it fails again, report this reference: <id>"#);
    assert_eq!(world.boards_of("docs").await, NO_BOARDS);

    world.db.execute("alter table calls rename column lost to answer").await;
    world.claude.call("create_board", create.clone()).await;
    let written = json!({"operation": "tools/call:create_board", "outcome": "answered"});
    assert_eq!(world.db.rows(outcomes).await, std::slice::from_ref(&written));

    assert!(world.claude.call("create_board", create).await.is_error());
    let refused = json!({"operation": "tools/call:create_board", "outcome": "refused"});
    assert_eq!(world.db.rows(outcomes).await, [written, refused]);
}

// pre:O8
#[tokio::test]
async fn a_connection_says_when_it_was_last_used() {
    let world = World::new().await;
    let used = "select last_used_at from connections where last_used_at is not null";
    assert_eq!(world.db.rows(used).await, Vec::<Value>::new());

    world.boards_of("docs").await;
    for _ in 0..500 {
        if !world.db.rows(used).await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let first = world.db.rows(used).await;
    assert_eq!(first.len(), 1);
    world.boards_of("docs").await;
    rows(&world.db, 2).await;
    assert_eq!(world.db.rows(used).await, first);
}

// sec:H11
#[tokio::test]
async fn a_last_use_is_written_once_a_minute_and_never_goes_back() {
    let world = World::at_time("2030-01-01 09:30:00+00").await;
    world
        .db
        .execute(
            "create table written (place serial, at timestamptz);
             create function note() returns trigger language plpgsql as
             $$ begin insert into written (at) values (new.last_used_at); return null; end $$;
             create trigger note after update of last_used_at on connections
             for each row execute function note();",
        )
        .await;
    // Each is another instance, which knows nothing of the others but what is stored.
    for (round, passed) in (1..).zip([0, 30, 59, 61, 0, 120, 121, 122, 61]) {
        let passed = Duration::from_secs(passed);
        let gateway = world.acme.gateway.later(&world.db, passed).await;
        let claude = world.claude.clone().before(&gateway);
        for _ in 0..20 {
            boards_of(&claude, "docs").await;
        }
        rows(&world.db, 21 * round - 1).await;
        // The record is written in order: what was to be written before this call has been.
        boards_of(&claude, "docs").await;
        rows(&world.db, 21 * round).await;
    }
    let written = "select to_char(at at time zone 'UTC', 'HH24:MI:SS') as at from written
        order by place";
    assert_eq!(
        world.db.rows(written).await,
        [json!({"at": "09:30:00"}), json!({"at": "09:31:01"}), json!({"at": "09:32:02"})]
    );
}

// pre:C12
#[tokio::test]
async fn a_database_that_drops_its_connections_loses_no_call() {
    let world = World::new().await;
    for _ in 0..30 {
        assert_eq!(world.boards_of("docs").await, NO_BOARDS);
        world.db.drop_connections().await;
    }

    let rows = rows(&world.db, 30).await;
    assert_eq!(rows.iter().filter(|row| row["outcome"] == "answered").count(), 30);
}

// What a query may do is the database's to say, not the module's.
#[tokio::test]
async fn the_transaction_of_a_query_can_change_nothing() {
    let world = World::new().await;
    let (pool, tenant) = (world.acme.gateway.pool(), world.acme.id);
    let docs = world.acme.workspace("docs").await;

    let mut tx = storage::begin_read(pool).await.unwrap();
    assert!(storage::board::insert(&mut tx, tenant, docs, "Launch").await.is_err());
    drop(tx);

    let mut tx = storage::begin(pool).await.unwrap();
    assert!(storage::board::insert(&mut tx, tenant, docs, "Launch").await.is_ok());
}
