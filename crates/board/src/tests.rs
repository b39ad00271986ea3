use portico_model::{
    BoardId, CallId, CardId, ColumnId, ConnectionId, PersonId, TenantId, WorkspaceId,
};
use portico_registry::{Context, Workspace};
use portico_storage::board::{Board, Summary};
use portico_storage::board_column::Column;
use portico_storage::card::{Card, Change, Line};
use uuid::Uuid;

use super::*;

fn context(links: Option<&str>) -> Context {
    Context {
        tenant: TenantId::from_uuid(Uuid::nil()),
        workspace: Workspace { id: WorkspaceId::from_uuid(Uuid::nil()), name: "Docs".to_owned() },
        person: PersonId::from_uuid(Uuid::nil()),
        connection: ConnectionId::from_uuid(Uuid::nil()),
        call: CallId::from_uuid(Uuid::nil()),
        links: links.map(str::to_owned),
    }
}

fn board() -> Board {
    Board { id: BoardId::from_uuid(Uuid::from_u128(1)), title: "Launch".to_owned() }
}

fn column(number: u128, title: &str, cards: i64) -> Column {
    Column { id: ColumnId::from_uuid(Uuid::from_u128(number)), title: title.to_owned(), cards }
}

fn card(number: u128, column: u128, title: &str, assignee: Option<&str>) -> Line {
    Line {
        id: CardId::from_uuid(Uuid::from_u128(number)),
        title: title.to_owned(),
        assignee: assignee.map(str::to_owned),
        column: ColumnId::from_uuid(Uuid::from_u128(column)),
    }
}

// pre:C13, pre:A2
#[test]
fn the_module_has_the_six_tools() {
    let tools: Vec<_> = module()
        .tools
        .into_iter()
        .map(|tool| serde_json::json!({"name": tool.name, "scope": tool.scope, "schema": tool.schema}))
        .collect();

    insta::assert_json_snapshot!(tools);
}

// pre:C13
#[test]
fn a_board_is_read_as_text() {
    let columns = [column(1, "To do", 2), column(2, "Doing", 0), column(3, "Done", 1)];
    let cards = [
        card(1, 1, "Write the notes", Some("Ada")),
        card(2, 1, "Pick a date", None),
        card(3, 3, "Book the room", None),
    ];
    let there = context(Some("https://acme.example"));

    insta::assert_snapshot!(read_board::render(&there, &board(), &columns, &cards), @r#"
    Launch [00000000-0000-0000-0000-000000000001] https://acme.example/boards/00000000-0000-0000-0000-000000000001: 3 columns, 3 cards

    ## To do (2)
    - [00000000-0000-0000-0000-000000000001] Write the notes (Ada)
    - [00000000-0000-0000-0000-000000000002] Pick a date (unassigned)

    ## Doing (0)
    (empty)

    ## Done (1)
    - [00000000-0000-0000-0000-000000000003] Book the room (unassigned)
    "#);
    insta::assert_snapshot!(read_board::render(&context(None), &board(), &columns[1..2], &[]), @r#"
    Launch [00000000-0000-0000-0000-000000000001]: 1 column, 0 cards

    ## Doing (0)
    (empty)
    "#);
}

// cli:88
#[test]
fn what_does_not_fit_on_a_board_is_counted() {
    let columns = [column(1, "To do", 500), column(2, "Done", 1)];
    let mut cards: Vec<Line> = (0..500).map(|it| card(it, 1, &"x".repeat(200), None)).collect();
    cards.push(card(500, 2, "y", None));
    let text = read_board::render(&context(None), &board(), &columns, &cards);
    let shown = text.lines().filter(|line| line.starts_with("- [")).count();
    let notes: Vec<&str> = text.lines().filter(|line| line.ends_with("not shown)")).collect();

    assert_eq!(notes, [&*format!("({} cards not shown)", 500 - shown), "(1 card not shown)"]);
    assert!((30_000..40_000).contains(&text.len()), "{}", text.len());
}

// pre:C13
#[test]
fn boards_are_listed_with_what_is_on_them() {
    let boards = [Summary { id: board().id, title: "Launch".to_owned(), columns: 3, cards: 1 }];
    let there = context(Some("https://acme.example"));

    insta::assert_snapshot!(list_boards::render(&there, &boards), @r#"
    Boards of the workspace "Docs":
    - Launch [00000000-0000-0000-0000-000000000001] https://acme.example/boards/00000000-0000-0000-0000-000000000001: 3 columns, 1 card
    "#);
    insta::assert_snapshot!(list_boards::render(&context(None), &[]), @r#"The workspace "Docs" has no boards yet. create_board makes one."#);
}

#[test]
fn a_change_is_told_field_by_field() {
    let card = Card {
        id: CardId::from_uuid(Uuid::from_u128(1)),
        title: "Pick a date".to_owned(),
        assignee: Some("Ada".to_owned()),
        board: board().id,
        board_title: "Launch".to_owned(),
        column: ColumnId::from_uuid(Uuid::from_u128(1)),
        column_title: "To do".to_owned(),
    };
    let told = |title, body, assignee| {
        let change = Change { title, body, assignee };
        update_card::describe(&card, &change).unwrap_or_else(|error| error.to_string())
    };
    for (title, body, assignee, expected) in [
        (Some("Set a date"), None, None, r#"title from "Pick a date" to "Set a date""#),
        (None, Some("Soon."), Some("Bo"), "assignee from Ada to Bo, body replaced"),
        (None, Some(""), Some(""), "assignee from Ada to nobody, body removed"),
        (None, None, None, "Say what to change: give title, body or assignee."),
    ] {
        assert_eq!(told(title, body, assignee), expected);
    }
}

#[test]
fn a_title_is_one_line() {
    for (text, expected) in [
        ("  Launch ", "Launch"),
        ("Über 🚀", "Über 🚀"),
        (" ", "title: must not be empty"),
        ("a\nb", "title: must be one line, without control characters"),
        ("a\u{2028}b", "title: must be one line, without control characters"),
        ("a\u{85}b", "title: must be one line, without control characters"),
    ] {
        let read = text::line("title", text).unwrap_or_else(|error| error.to_string());
        assert_eq!(read, expected, "{text:?}");
    }
}
