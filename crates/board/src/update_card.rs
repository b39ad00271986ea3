//! `update_card`

use portico_model::Hints;
use portico_registry::{Answer, Command, Context, Error};
use portico_storage::Tx;
use portico_storage::card::{self, Card, Change};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{find, text};

pub(crate) struct UpdateCard;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    /// The card's title or id.
    #[schemars(length(min = 1, max = 200))]
    card: String,
    /// The title or id of the board that the card is on. Left out: any board of the workspace.
    #[schemars(length(min = 1, max = 200))]
    board: Option<String>,
    /// The new title. Left out: it stays.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// The new body, as Markdown, in place of the whole old one. Left out: it stays.
    #[schemars(length(max = 20_000))]
    body: Option<String>,
    /// Who is to do it; an empty text for nobody. Left out: it stays.
    #[schemars(length(max = 200))]
    assignee: Option<String>,
}

impl Command for UpdateCard {
    const NAME: &'static str = "update_card";
    const TITLE: &'static str = "Update a card";
    const DESCRIPTION: &'static str = "Changes a card's title, body or assignee. What is left out \
        stays as it is. move_card moves it to another column.";
    const HINTS: Hints = Hints {
        read_only: Some(false),
        destructive: Some(true),
        idempotent: Some(true),
        open_world: Some(false),
    };

    type Arguments = Arguments;

    async fn run(tx: &mut Tx, context: &Context, asked: Arguments) -> Result<Answer, Error> {
        let title = asked.title.as_deref().map(|it| text::line("title", it)).transpose()?;
        let assignee =
            asked.assignee.as_deref().map(|it| text::optional_line("assignee", it)).transpose()?;
        let change = Change {
            title: title.as_deref(),
            body: asked.body.as_deref(),
            assignee: assignee.as_deref(),
        };
        let card = find::card(tx, context, asked.board.as_deref(), &asked.card).await?;
        let told = describe(&card, &change)?;
        if !card::update(tx, context.tenant, card.id, change).await? {
            return Err(find::no_such_card(context, None));
        }
        Ok(Answer::new(format!(
            "Updated the card \"{}\" [{}] in \"{}\" on the board {}: {told}.",
            card.title,
            card.id,
            card.column_title,
            text::board(context, card.board, &card.board_title),
        )))
    }
}

/// What changes, from what, to what.
pub(crate) fn describe(card: &Card, change: &Change<'_>) -> Result<String, Error> {
    let mut parts = Vec::new();
    if let Some(title) = change.title {
        parts.push(format!("title from \"{}\" to \"{title}\"", card.title));
    }
    if let Some(assignee) = change.assignee {
        let old = card.assignee.as_deref().unwrap_or("nobody");
        let new = if assignee.is_empty() { "nobody" } else { assignee };
        parts.push(format!("assignee from {old} to {new}"));
    }
    if let Some(body) = change.body {
        parts.push(if body.is_empty() {
            "body removed".to_owned()
        } else {
            "body replaced".to_owned()
        });
    }
    if parts.is_empty() {
        return Err(Error::refused("Say what to change: give title, body or assignee."));
    }
    Ok(parts.join(", "))
}
