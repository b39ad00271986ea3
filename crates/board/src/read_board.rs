//! `read_board`

use portico_registry::{Answer, Context, Error, Query};
use portico_storage::Tx;
use portico_storage::board::Board;
use portico_storage::board_column::{self, Column};
use portico_storage::card::{self, Line};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::find;
use crate::text::{board_link, count};

pub(crate) struct ReadBoard;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// The board's title or id.
    #[schemars(length(min = 1, max = 200))]
    board: String,
}

/// Lines beyond this many characters are counted, not shown.
const ROOM: usize = 36_000;

const MOST_CARDS: i64 = 1_000;

impl Query for ReadBoard {
    const NAME: &'static str = "read_board";
    const TITLE: &'static str = "Read a board";
    const DESCRIPTION: &'static str = "Shows a board: its columns from left to right, and in each \
        the cards from top to bottom with id, title and assignee.";

    type Arguments = Arguments;

    async fn run(tx: &mut Tx, context: &Context, asked: Arguments) -> Result<Answer, Error> {
        let board = find::board(tx, context, &asked.board).await?;
        let columns = board_column::of_board(tx, context.tenant, board.id).await?;
        let cards = card::of_board(tx, context.tenant, board.id, MOST_CARDS).await?;
        Ok(Answer::new(render(context, &board, &columns, &cards)))
    }
}

pub(crate) fn render(
    context: &Context,
    board: &Board,
    columns: &[Column],
    cards: &[Line],
) -> String {
    let mut lines = vec![headline(context, board, columns)];
    let mut room = ROOM;
    for column in columns {
        lines.push(format!("\n## {} ({})", column.title, column.cards));
        if column.cards == 0 {
            lines.push("(empty)".to_owned());
        }
        let mut hidden = column.cards;
        for card in cards.iter().filter(|card| card.column == column.id) {
            let line = line(card);
            let Some(left) = room.checked_sub(line.len()) else {
                // A shorter card further down must not pass for the next one.
                room = 0;
                break;
            };
            room = left;
            hidden -= 1;
            lines.push(line);
        }
        if hidden > 0 {
            lines.push(format!("({} not shown)", count(hidden, "card")));
        }
    }
    lines.join("\n")
}

fn headline(context: &Context, board: &Board, columns: &[Column]) -> String {
    let cards = columns.iter().map(|column| column.cards).sum();
    let link = board_link(context, board.id).map(|link| format!(" {link}"));
    format!(
        "{} [{}]{}: {}, {}",
        board.title,
        board.id,
        link.unwrap_or_default(),
        count(i64::try_from(columns.len()).unwrap_or(i64::MAX), "column"),
        count(cards, "card"),
    )
}

fn line(card: &Line) -> String {
    let assignee = card.assignee.as_deref().unwrap_or("unassigned");
    format!("- [{}] {} ({assignee})", card.id, card.title)
}
