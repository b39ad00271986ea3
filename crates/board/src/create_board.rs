//! `create_board`

use portico_model::Hints;
use portico_registry::{Answer, Command, Context, Error};
use portico_storage::{Tx, board, board_column};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::{self, quoted};

pub(crate) struct CreateBoard;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// What the board is called; no other board of the workspace may have the same title.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// The titles of its columns from left to right. Left out: "To do", "Doing" and "Done".
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 200)))]
    columns: Option<Vec<String>>,
}

const DEFAULT_COLUMNS: [&str; 3] = ["To do", "Doing", "Done"];

impl Command for CreateBoard {
    const NAME: &'static str = "create_board";
    const TITLE: &'static str = "Create a board";
    const DESCRIPTION: &'static str = "Creates a board with its columns in the workspace.";
    const HINTS: Hints = Hints {
        read_only: Some(false),
        destructive: Some(false),
        idempotent: Some(false),
        open_world: Some(false),
    };

    type Arguments = Arguments;

    async fn run(tx: &mut Tx, context: &Context, asked: Arguments) -> Result<Answer, Error> {
        let title = text::line("title", &asked.title)?;
        let columns = columns(asked.columns)?;
        let id = board::insert(tx, context.tenant, context.workspace.id, &title)
            .await
            .map_err(|error| refuse_taken(error, &title))?;
        board_column::insert(tx, context.tenant, id, &columns).await.map_err(refuse_repeated)?;
        Ok(Answer::new(format!(
            "Created the board {} with the columns {}.",
            text::board(context, id, &title),
            quoted(&columns),
        )))
    }
}

fn columns(asked: Option<Vec<String>>) -> Result<Vec<String>, Error> {
    match asked {
        Some(titles) => titles.iter().map(|title| text::line("columns", title)).collect(),
        None => Ok(DEFAULT_COLUMNS.map(str::to_owned).to_vec()),
    }
}

fn refuse_taken(error: portico_storage::Error, title: &str) -> Error {
    if error.violates("boards_title_key") {
        return Error::refused(format!(
            "title: the workspace has a board \"{title}\" already. Use it, or choose another title."
        ));
    }
    error.into()
}

fn refuse_repeated(error: portico_storage::Error) -> Error {
    if error.violates("board_columns_title_key") {
        return Error::refused("columns: every column must have a title of its own");
    }
    error.into()
}
