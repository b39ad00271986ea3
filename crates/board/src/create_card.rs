//! `create_card`

use portico_model::Hints;
use portico_registry::{Answer, Command, Context, Error};
use portico_storage::Tx;
use portico_storage::card::{self, Content};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{find, text};

pub(crate) struct CreateCard;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// The title or id of the board that the card goes on.
    #[schemars(length(min = 1, max = 200))]
    board: String,
    /// What the card is called.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// The title or id of the column. Left out: the board's first column.
    #[schemars(length(min = 1, max = 200))]
    column: Option<String>,
    /// What there is to say beyond the title, as Markdown.
    #[schemars(length(max = 20_000))]
    body: Option<String>,
    /// Who is to do it. Left out: nobody yet.
    #[schemars(length(max = 200))]
    assignee: Option<String>,
}

impl Command for CreateCard {
    const NAME: &'static str = "create_card";
    const TITLE: &'static str = "Create a card";
    const DESCRIPTION: &'static str = "Creates a card at the end of a column of a board.";
    const HINTS: Hints = Hints {
        read_only: Some(false),
        destructive: Some(false),
        idempotent: Some(false),
        open_world: Some(false),
    };

    type Arguments = Arguments;

    async fn run(tx: &mut Tx, context: &Context, asked: Arguments) -> Result<Answer, Error> {
        let title = text::line("title", &asked.title)?;
        let assignee = match &asked.assignee {
            Some(name) => text::optional_line("assignee", name)?,
            None => String::new(),
        };
        let board = find::board(tx, context, &asked.board).await?;
        let column = find::column(tx, context, &board, asked.column.as_deref()).await?;
        let written = Content {
            title: &title,
            body: asked.body.as_deref().unwrap_or(""),
            assignee: Some(assignee.as_str()).filter(|name| !name.is_empty()),
        };
        let id = card::insert(tx, context.tenant, board.id, column.id, written).await?;
        Ok(Answer::new(format!(
            "Created the card \"{title}\" [{id}] in \"{}\" on the board {}.",
            column.title,
            text::board(context, board.id, &board.title),
        )))
    }
}
