//! Boards with their columns and cards, and the record of calls.

use portico_model::Outcome;
use portico_storage::call::Call;
use portico_storage::card::{Change, Content};
use portico_storage::{board, board_column, call, card, connection};
use portico_testkit::household::{BOARD, CARD, Household};
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
        assert!(card::find(&mut conn, tenant, workspace, theirs.card).await.unwrap().is_none());
        let board = Some(theirs.board);
        let titled = card::titled(&mut conn, tenant, workspace, board, CARD).await.unwrap();
        assert_eq!(titled, []);
    }
    let elsewhere = theirs.workspace;
    assert_eq!(card::titled(&mut conn, tenant, elsewhere, None, CARD).await.unwrap(), []);
    assert_eq!(card::of_board(&mut conn, tenant, theirs.board, 10).await.unwrap(), []);

    let change = Change { title: Some("Spy"), body: None, assignee: None };
    card::update(&mut conn, tenant, theirs.card, change).await.unwrap();
    card::relocate(&mut conn, tenant, theirs.card, mine.column).await.unwrap();
    let moved = card::relocate(&mut conn, tenant, mine.card, theirs.column).await;
    refused("cards_column_fkey", moved);

    world.nothing_changed().await;
}

#[tokio::test]
async fn a_persons_calls_are_read_in_their_own_tenant() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    call::insert(&mut conn, &[made_by(mine), made_by(theirs)]).await.unwrap();
    let found = call::of_person(&mut conn, mine.tenant, theirs.person, 10).await.unwrap();
    assert!(found.is_empty());
    let found = call::of_person(&mut conn, mine.tenant, mine.person, 10).await.unwrap();
    assert_eq!(found.iter().map(|it| it.id).collect::<Vec<_>>(), [mine.call]);

    connection::touch(&mut conn, &[(mine.tenant, theirs.connection)]).await.unwrap();
    let used = "select 1 from connections where last_used_at is not null";
    assert_eq!(world.db.rows(used).await, Vec::<serde_json::Value>::new());
}

fn made_by(household: &Household) -> Call {
    Call {
        tenant: household.tenant,
        id: household.call,
        started_at: datetime!(2026-01-01 00:00 UTC),
        duration_us: 1,
        provider: "mcp".to_owned(),
        operation: "tools/call:read_board".to_owned(),
        server: "boards".to_owned(),
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
