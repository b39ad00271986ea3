//! The six tools of boards, as an app uses them.

use futures_util::future::join_all;
use portico_testkit::{Client, Connection, Database, Gateway, Tenant};
use serde_json::{Value, json};

use super::{World, without_ids};

const AT_ONCE: u32 = 30;

async fn say(connection: &Connection, tool: &str, arguments: Value) -> String {
    without_ids(&connection.call(tool, arguments).await.to_string())
}

/// The id that a sentence names first.
fn id_in(text: &str) -> String {
    let after = text.split_once('[').unwrap().1;
    after.split_once(']').unwrap().0.to_owned()
}

// pre:C13
#[tokio::test]
async fn a_board_is_made_filled_and_read() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = &ada.connect(Client::claude()).await;
    let mut said = Vec::new();
    for (tool, arguments) in [
        ("create_board", json!({"title": "Launch"})),
        ("create_board", json!({"title": "Hiring", "columns": ["Met", "Hired"]})),
        ("create_card", json!({"board": "launch", "title": "Pick a date"})),
        (
            "create_card",
            json!({"board": "Launch", "title": "Write", "column": "doing", "assignee": "Ada", "body": "Soon."}),
        ),
        ("create_card", json!({"board": "Launch", "title": "Print"})),
        ("move_card", json!({"card": "pick a date", "column": "Done"})),
        ("move_card", json!({"card": "Pick a date", "column": "done", "board": "Launch"})),
        ("update_card", json!({"card": "Print", "title": "Print it", "assignee": "Bo"})),
        ("update_card", json!({"card": "Write", "assignee": "", "body": ""})),
        ("list_boards", json!({})),
        ("read_board", json!({"board": "Launch"})),
    ] {
        said.push(say(claude, tool, arguments).await);
    }

    insta::assert_snapshot!(said.join("\n"), @r#"
    Created the board "Launch" [<id>] (https://app.acme.example/boards/<id>) with the columns "To do", "Doing", "Done".
    Created the board "Hiring" [<id>] (https://app.acme.example/boards/<id>) with the columns "Met", "Hired".
    Created the card "Pick a date" [<id>] in "To do" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>).
    Created the card "Write" [<id>] in "Doing" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>).
    Created the card "Print" [<id>] in "To do" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>).
    Moved the card "Pick a date" [<id>] from "To do" to "Done" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>).
    The card "Pick a date" [<id>] is in "Done" already, on the board "Launch" [<id>] (https://app.acme.example/boards/<id>).
    Updated the card "Print" [<id>] in "To do" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>): title from "Print" to "Print it", assignee from nobody to Bo.
    Updated the card "Write" [<id>] in "Doing" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>): assignee from Ada to nobody, body removed.
    Boards of the workspace "docs":
    - Hiring [<id>] https://app.acme.example/boards/<id>: 2 columns, 0 cards
    - Launch [<id>] https://app.acme.example/boards/<id>: 3 columns, 3 cards
    Launch [<id>] https://app.acme.example/boards/<id>: 3 columns, 3 cards

    ## To do (1)
    - [<id>] Print it (Bo)

    ## Doing (1)
    - [<id>] Write (unassigned)

    ## Done (1)
    - [<id>] Pick a date (unassigned)
    "#);
}

// pre:C13
#[tokio::test]
async fn boards_cards_and_columns_may_be_named_by_id() {
    let world = World::new().await;
    let claude = &world.claude;
    let at = |mut arguments: Value| {
        arguments["workspace"] = json!("docs");
        arguments
    };
    let made = claude.call("create_board", at(json!({"title": "Launch"}))).await.to_string();
    let board = id_in(&made);
    let card = at(json!({"board": board, "title": "Write"}));
    let card = id_in(&claude.call("create_card", card).await.to_string());
    let columns = "select column_id from board_columns where title = 'Done'";
    let column = world.db.rows(columns).await[0]["column_id"].clone();

    let moved = say(claude, "move_card", at(json!({"card": card, "column": column}))).await;
    insta::assert_snapshot!(moved, @r#"Moved the card "Write" [<id>] from "To do" to "Done" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>)."#);
    let read = say(claude, "read_board", at(json!({"board": board.to_uppercase()}))).await;
    insta::assert_snapshot!(read, @r#"
    Launch [<id>] https://app.acme.example/boards/<id>: 3 columns, 1 card

    ## To do (0)
    (empty)

    ## Doing (0)
    (empty)

    ## Done (1)
    - [<id>] Write (unassigned)
    "#);
}

#[tokio::test]
async fn what_is_not_there_or_not_clear_is_refused_with_what_there_is() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = &ada.connect(Client::claude()).await;
    let mut said = Vec::new();
    for (tool, arguments) in [
        ("read_board", json!({"board": "Launch"})),
        ("create_board", json!({"title": "Launch"})),
        ("create_board", json!({"title": " LAUNCH "})),
        ("create_board", json!({"title": "Hiring"})),
        ("read_board", json!({"board": "Lunch"})),
        ("create_card", json!({"board": "Launch", "title": "Write", "column": "Later"})),
        ("create_card", json!({"board": "Launch", "title": "Write"})),
        ("create_card", json!({"board": "Hiring", "title": "write"})),
        ("move_card", json!({"card": "Write", "column": "Done"})),
        ("move_card", json!({"card": "Write", "column": "Done", "board": "Hiring"})),
        ("move_card", json!({"card": "Rest", "column": "Done"})),
        ("update_card", json!({"card": "Rest", "board": "Launch", "title": "x"})),
        ("update_card", json!({"card": "Write", "board": "Launch"})),
        ("update_card", json!({"card": "Write", "board": "Launch", "title": " "})),
    ] {
        said.push(say(claude, tool, arguments).await);
    }

    insta::assert_snapshot!(said.join("\n"), @r#"
    refused: The workspace "docs" has no boards yet. create_board makes one.
    Created the board "Launch" [<id>] (https://app.acme.example/boards/<id>) with the columns "To do", "Doing", "Done".
    refused: title: the workspace has a board "LAUNCH" already. Use it, or choose another title.
    Created the board "Hiring" [<id>] (https://app.acme.example/boards/<id>) with the columns "To do", "Doing", "Done".
    refused: The workspace "docs" has no such board. Some that it has: "Hiring", "Launch".
    refused: The board "Launch" has no such column. Its columns are "To do", "Doing", "Done".
    Created the card "Write" [<id>] in "To do" on the board "Launch" [<id>] (https://app.acme.example/boards/<id>).
    Created the card "write" [<id>] in "To do" on the board "Hiring" [<id>] (https://app.acme.example/boards/<id>).
    refused: More than one card has that title. Name one by its id: [<id>] in "To do" on "Hiring"; [<id>] in "To do" on "Launch".
    Moved the card "write" [<id>] from "To do" to "Done" on the board "Hiring" [<id>] (https://app.acme.example/boards/<id>).
    refused: The workspace "docs" has no such card. read_board lists the cards of a board.
    refused: The board "Launch" has no such card. read_board lists the cards of a board.
    refused: Say what to change: give title, body or assignee.
    refused: title: must not be empty
    "#);
}

/// A board with one card; answers their ids and the column's.
async fn furnish(db: &Database, tenant: &Tenant, name: &str) -> (Connection, [String; 3]) {
    let person = tenant.person(name).member_of(name).await;
    let app = person.connect(Client::claude()).await;
    app.call("create_board", json!({"title": "Launch"})).await;
    app.call("create_card", json!({"board": "Launch", "title": "Write"})).await;
    let workspace = tenant.workspace(name).await;
    let row = db
        .rows(&format!(
            "select b.board_id, k.card_id, c.column_id
             from boards b join cards k using (board_id)
             join board_columns c on c.board_id = b.board_id and c.title = 'Done'
             where b.workspace_id = '{workspace}'"
        ))
        .await
        .remove(0);
    let ids = ["board_id", "card_id", "column_id"].map(|it| row[it].as_str().unwrap().to_owned());
    (app, ids)
}

// sec:K08, sec:K01
#[tokio::test]
async fn the_ids_of_another_workspace_or_tenant_are_nothing_here() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let acme = Tenant::named(gateway.clone(), "acme").await;
    let globex = Tenant::named(gateway, "globex").await;
    let (ada, [board, card, _]) = furnish(&db, &acme, "docs").await;
    let others = [furnish(&db, &acme, "shop").await.1, furnish(&db, &globex, "docs").await.1];
    let before = db.rows("select * from cards order by card_id").await;

    let absent = "7f1d0a36-3c1c-4a53-9d2c-6f0f2f0a9a11";
    for [their_board, their_card, their_column] in others {
        for (tool, theirs, nobodys) in [
            ("read_board", json!({"board": their_board}), json!({"board": absent})),
            (
                "create_card",
                json!({"board": their_board, "title": "x"}),
                json!({"board": absent, "title": "x"}),
            ),
            (
                "create_card",
                json!({"board": board, "column": their_column, "title": "x"}),
                json!({"board": board, "column": absent, "title": "x"}),
            ),
            (
                "move_card",
                json!({"card": their_card, "column": "Done"}),
                json!({"card": absent, "column": "Done"}),
            ),
            (
                "move_card",
                json!({"card": card, "column": their_column}),
                json!({"card": card, "column": absent}),
            ),
            (
                "update_card",
                json!({"card": their_card, "title": "x"}),
                json!({"card": absent, "title": "x"}),
            ),
        ] {
            let theirs = ada.call(tool, theirs).await;
            let nobodys = ada.call(tool, nobodys).await;
            assert!(theirs.is_error(), "{tool}: {theirs}");
            assert_eq!(theirs.to_string(), nobodys.to_string(), "{tool}");
        }
    }
    assert_eq!(db.rows("select * from cards order by card_id").await, before);
}

// Each tells where the one before has put the card.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_moves_of_one_card_at_once_every_one_is_made() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let wide = acme.gateway.with_pool(db.pool_of(AT_ONCE).await).await;
    let claude = ada.connect(Client::claude()).await.before(&wide);
    claude.call("create_board", json!({"title": "Launch"})).await;
    claude.call("create_card", json!({"board": "Launch", "title": "Write"})).await;

    let moves = (0..AT_ONCE).map(|turn| {
        let column = if turn % 2 == 0 { "Doing" } else { "To do" };
        say(&claude, "move_card", json!({"card": "Write", "column": column}))
    });
    let said = join_all(moves).await;

    let place = "the board \"Launch\" [<id>] (https://app.acme.example/boards/<id>).";
    let count = |begins: &str| {
        let sentence = format!("{begins} {place}");
        said.iter().filter(|it| **it == sentence).count()
    };
    let there = count("Moved the card \"Write\" [<id>] from \"To do\" to \"Doing\" on");
    let back = count("Moved the card \"Write\" [<id>] from \"Doing\" to \"To do\" on");
    let already = count("The card \"Write\" [<id>] is in \"Doing\" already, on")
        + count("The card \"Write\" [<id>] is in \"To do\" already, on");
    assert_eq!(there + back + already, said.len(), "{said:#?}");
    assert!(there == back || there == back + 1, "{said:#?}");
}

// A refusal offers titles, and what it offers can be used.
#[tokio::test]
async fn what_is_titled_like_an_id_can_be_named_by_its_title() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = &ada.connect(Client::claude()).await;
    let titled = "7f1d0a36-3c1c-4a53-9d2c-6f0f2f0a9a11";
    let columns = json!({"title": titled, "columns": ["First", titled]});
    claude.call("create_board", columns).await;

    let mut said = Vec::new();
    for (tool, arguments) in [
        ("create_card", json!({"board": titled, "title": titled})),
        ("move_card", json!({"board": titled, "card": titled, "column": titled})),
        ("update_card", json!({"card": titled.to_uppercase(), "body": "Soon."})),
    ] {
        said.push(say(claude, tool, arguments).await);
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    Created the card "<id>" [<id>] in "First" on the board "<id>" [<id>] (https://app.acme.example/boards/<id>).
    Moved the card "<id>" [<id>] from "First" to "<id>" on the board "<id>" [<id>] (https://app.acme.example/boards/<id>).
    Updated the card "<id>" [<id>] in "<id>" on the board "<id>" [<id>] (https://app.acme.example/boards/<id>): body replaced.
    "#);

    // What has the id is meant, whatever else is titled so.
    let first = "select column_id from board_columns where title = 'First'";
    let first = db.rows(first).await[0]["column_id"].as_str().unwrap().to_owned();
    db.execute(&format!("update board_columns set title = '{first}' where title = '{titled}'"))
        .await;
    let by_id = json!({"card": titled, "column": first});
    insta::assert_snapshot!(say(claude, "move_card", by_id).await, @r#"Moved the card "<id>" [<id>] from "<id>" to "First" on the board "<id>" [<id>] (https://app.acme.example/boards/<id>)."#);
}
