//! Boards with their columns and cards, and the record of calls.

use portico_model::Outcome;
use portico_storage::call::Call;
use portico_storage::card::{Change, Content};
use portico_storage::{board, board_column, call, call_lease, card, connection, write_budget};
use portico_testkit::household::{BOARD, CARD, Household};
use serde_json::json;
use time::macros::datetime;

use super::{Neighbours, refused};

#[tokio::test]
async fn boards_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);
    let (tenant, elsewhere) = (mine.tenant, theirs.workspace);

    let made = board::insert(&mut conn, tenant, elsewhere, "Spy").await;
    refused("boards_workspace_fkey", made);
    assert!(board::find(&mut conn, tenant, elsewhere, theirs.board).await.unwrap().is_none());
    assert!(board::find(&mut conn, tenant, mine.workspace, theirs.board).await.unwrap().is_none());
    assert!(board::find_by_title(&mut conn, tenant, elsewhere, BOARD).await.unwrap().is_none());
    assert!(board::summaries(&mut conn, tenant, elsewhere, 10).await.unwrap().is_empty());

    let columns = ["Spy".to_owned()];
    let made = board_column::insert(&mut conn, tenant, theirs.board, &columns).await;
    refused("board_columns_board_fkey", made);
    assert!(board_column::of_board(&mut conn, tenant, theirs.board).await.unwrap().is_empty());

    world.nothing_changed().await;
}

#[tokio::test]
async fn cards_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);
    let tenant = mine.tenant;

    let spy = || Content { title: "Spy", body: "", assignee: None };
    let made = card::insert(&mut conn, tenant, theirs.board, theirs.column, spy()).await;
    refused("cards_column_fkey", made);
    let made = card::insert(&mut conn, tenant, mine.board, theirs.column, spy()).await;
    refused("cards_column_fkey", made);
    for workspace in [mine.workspace, theirs.workspace] {
        assert!(!card::lock(&mut conn, tenant, workspace, theirs.card).await.unwrap());
        assert!(card::find(&mut conn, tenant, workspace, theirs.card).await.unwrap().is_none());
        let board = Some(theirs.board);
        let titled = card::titled(&mut conn, tenant, workspace, board, CARD).await.unwrap();
        assert_eq!(titled, []);
    }
    let elsewhere = theirs.workspace;
    assert_eq!(card::titled(&mut conn, tenant, elsewhere, None, CARD).await.unwrap(), []);
    assert_eq!(card::of_board(&mut conn, tenant, theirs.board, 10).await.unwrap(), []);

    let change = Change { title: Some("Spy"), body: None, assignee: None };
    assert!(!card::update(&mut conn, tenant, theirs.card, change).await.unwrap());
    assert!(!card::relocate(&mut conn, tenant, theirs.card, mine.column).await.unwrap());
    let moved = card::relocate(&mut conn, tenant, mine.card, theirs.column).await;
    refused("cards_column_fkey", moved);

    world.nothing_changed().await;
}

#[tokio::test]
async fn a_batch_of_the_record_and_of_uses_keeps_to_the_tenant_of_each_row() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    call::insert(&mut conn, &[made_by(mine), made_by(theirs)]).await.unwrap();
    let written = "select call_id, tenant_id from calls order by tenant_id";
    let mut expected = [mine, theirs].map(|it| json!({"call_id": it.call, "tenant_id": it.tenant}));
    expected.sort_by_key(|row| row["tenant_id"].to_string());
    assert_eq!(world.db.rows(written).await, expected);

    connection::touch(&mut conn, &[(mine.tenant, theirs.connection)]).await.unwrap();
    let used = "select 1 from connections where last_used_at is not null";
    assert_eq!(world.db.rows(used).await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn nobody_spends_what_a_connection_of_others_has() {
    let world = Neighbours::new().await;
    let (tenant, elsewhere) = (world.mine.tenant, world.theirs.connection);

    let leased = call_lease::take(&world.pool, tenant, elsewhere, 60).await;
    refused("call_leases_connection_fkey", leased);
    let mut conn = world.conn().await;
    let charged = write_budget::charge(&mut conn, tenant, elsewhere, 200).await;
    refused("write_budgets_connection_fkey", charged);

    world.nothing_changed().await;
}

fn made_by(household: &Household) -> Call {
    Call {
        tenant: household.tenant,
        id: household.call,
        started_at: datetime!(2026-01-01 00:00 UTC),
        duration_us: 1,
        provider: "mcp",
        operation: "tools/call:read_board".to_owned(),
        server: "boards".into(),
        connection: household.connection,
        person: household.person,
        client: household.client,
        workspace: Some(household.workspace),
        outcome: Outcome::Answered,
        reason: None,
        arguments: "{}".to_owned(),
        answer: "{}".to_owned(),
    }
}
