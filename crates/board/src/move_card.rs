//! `move_card`

use portico_model::Hints;
use portico_registry::{Answer, Command, Context, Error};
use portico_storage::board::Board;
use portico_storage::{Tx, card};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{find, text};

pub(crate) struct MoveCard;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// The card's title or id.
    #[schemars(length(min = 1, max = 200))]
    card: String,
    /// The title or id of the column that it goes to, on the same board.
    #[schemars(length(min = 1, max = 200))]
    column: String,
    /// The title or id of the board that the card is on. Left out: any board of the workspace.
    #[schemars(length(min = 1, max = 200))]
    board: Option<String>,
}

impl Command for MoveCard {
    const NAME: &'static str = "move_card";
    const TITLE: &'static str = "Move a card";
    const DESCRIPTION: &'static str = "Moves a card to the end of another column of its board.";
    const HINTS: Hints = Hints {
        read_only: Some(false),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
    };

    type Arguments = Arguments;

    async fn run(tx: &mut Tx, context: &Context, asked: Arguments) -> Result<Answer, Error> {
        let card = find::card(tx, context, asked.board.as_deref(), &asked.card).await?;
        let board = Board { id: card.board, title: card.board_title };
        let column = find::column(tx, context, &board, Some(&asked.column)).await?;
        let place = text::board(context, board.id, &board.title);
        let (title, id, from, to) = (card.title, card.id, card.column_title, column.title);
        if column.id == card.column {
            return Ok(Answer::new(format!(
                "The card \"{title}\" [{id}] is in \"{to}\" already, on the board {place}."
            )));
        }
        if !card::relocate(tx, context.tenant, id, column.id).await? {
            return Err(find::no_such_card(context, Some(&board)));
        }
        Ok(Answer::new(format!(
            "Moved the card \"{title}\" [{id}] from \"{from}\" to \"{to}\" on the board {place}."
        )))
    }
}
