//! `list_boards`

use portico_registry::{Answer, Context, Error, Query};
use portico_storage::Tx;
use portico_storage::board::{self, Summary};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::{board_link, count};

pub(crate) struct ListBoards;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {}

const MOST_BOARDS: u16 = 200;

impl Query for ListBoards {
    const NAME: &'static str = "list_boards";
    const TITLE: &'static str = "List boards";
    const DESCRIPTION: &'static str = "Lists the boards of the workspace: title, id, and how many \
        columns and cards each has. Use it to find out which boards there are.";

    type Arguments = Arguments;

    async fn run(tx: &mut Tx, context: &Context, _: Arguments) -> Result<Answer, Error> {
        let one_more = i64::from(MOST_BOARDS) + 1;
        let boards = board::summaries(tx, context.tenant, context.workspace.id, one_more).await?;
        Ok(Answer::new(render(context, &boards)))
    }
}

pub(crate) fn render(context: &Context, boards: &[Summary]) -> String {
    let workspace = &context.workspace.name;
    if boards.is_empty() {
        return format!("The workspace \"{workspace}\" has no boards yet. create_board makes one.");
    }
    let mut lines = vec![format!("Boards of the workspace \"{workspace}\":")];
    let most = usize::from(MOST_BOARDS);
    lines.extend(boards.iter().take(most).map(|board| line(context, board)));
    if boards.len() > most {
        lines.push("(There are more, which read_board finds by title.)".to_owned());
    }
    lines.join("\n")
}

fn line(context: &Context, board: &Summary) -> String {
    let Summary { id, title, columns, cards } = board;
    let link = board_link(context, *id).map(|link| format!(" {link}"));
    format!(
        "- {title} [{id}]{}: {}, {}",
        link.unwrap_or_default(),
        count(*columns, "column"),
        count(*cards, "card"),
    )
}
