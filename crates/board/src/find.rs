//! Boards, columns and cards by title or by id, within the context's workspace only. What is not
//! there and what is elsewhere are refused in the same words; what is ambiguous, with the choices.

use portico_model::CardId;
use portico_registry::{Context, Error};
use portico_storage::Tx;
use portico_storage::board::{self, Board};
use portico_storage::board_column::{self, Column};
use portico_storage::card::{self, Card};

use crate::text::quoted;

/// How many names a refusal lists.
const MOST_CHOICES: i64 = 20;

pub(crate) async fn board(tx: &mut Tx, context: &Context, named: &str) -> Result<Board, Error> {
    let (tenant, workspace) = (context.tenant, context.workspace.id);
    let named = named.trim();
    let mut found = match named.parse() {
        Ok(id) => board::find(tx, tenant, workspace, id).await?,
        Err(_) => None,
    };
    // A title may look like an id.
    if found.is_none() {
        found = board::find_by_title(tx, tenant, workspace, named).await?;
    }
    if let Some(found) = found {
        return Ok(found);
    }
    let others = board::summaries(tx, tenant, workspace, MOST_CHOICES).await?;
    let workspace = &context.workspace.name;
    Err(Error::refused(if others.is_empty() {
        format!("The workspace \"{workspace}\" has no boards yet. create_board makes one.")
    } else {
        let others = quoted(others.iter().map(|board| &board.title));
        format!("The workspace \"{workspace}\" has no such board. Some that it has: {others}.")
    }))
}

/// A column of the board; the first one where none is named.
pub(crate) async fn column(
    tx: &mut Tx,
    context: &Context,
    board: &Board,
    named: Option<&str>,
) -> Result<Column, Error> {
    let mut columns = board_column::of_board(tx, context.tenant, board.id).await?;
    let position = match named {
        Some(named) => position(&columns, named.trim()),
        None => (!columns.is_empty()).then_some(0),
    };
    match position {
        Some(position) => Ok(columns.swap_remove(position)),
        None => Err(Error::refused(format!(
            "The board \"{}\" has no such column. Its columns are {}.",
            board.title,
            quoted(columns.iter().map(|column| &column.title)),
        ))),
    }
}

/// By id before by title, which may look like the id of another.
fn position(columns: &[Column], named: &str) -> Option<usize> {
    let by_id = columns.iter().position(|column| named.parse() == Ok(column.id));
    let title = named.to_lowercase();
    by_id.or_else(|| columns.iter().position(|column| column.title.to_lowercase() == title))
}

/// A card of the workspace, or of the named board of it, for a command to change: it is locked.
pub(crate) async fn card(
    tx: &mut Tx,
    context: &Context,
    on: Option<&str>,
    named: &str,
) -> Result<Card, Error> {
    let (tenant, workspace) = (context.tenant, context.workspace.id);
    let board = match on {
        Some(on) => Some(board(tx, context, on).await?),
        None => None,
    };
    let board = board.as_ref();
    let board_id = board.map(|board| board.id);
    let on_board = |card: &Card| board_id.is_none_or(|board| board == card.board);
    let named = named.trim();
    if let Ok(id) = named.parse()
        && let Some(found) = locked(tx, context, id).await?.filter(on_board)
    {
        return Ok(found);
    }
    match &card::titled(tx, tenant, workspace, board_id, named).await?[..] {
        [] => Err(no_such_card(context, board)),
        [only] => {
            let found = locked(tx, context, only.id).await?;
            found.filter(on_board).ok_or_else(|| no_such_card(context, board))
        }
        several => Err(ambiguous(several)),
    }
}

async fn locked(tx: &mut Tx, context: &Context, id: CardId) -> Result<Option<Card>, Error> {
    let (tenant, workspace) = (context.tenant, context.workspace.id);
    if !card::lock(tx, tenant, workspace, id).await? {
        return Ok(None);
    }
    Ok(card::find(tx, tenant, workspace, id).await?)
}

pub(crate) fn no_such_card(context: &Context, board: Option<&Board>) -> Error {
    let place = match board {
        Some(board) => format!("The board \"{}\"", board.title),
        None => format!("The workspace \"{}\"", context.workspace.name),
    };
    Error::refused(format!("{place} has no such card. read_board lists the cards of a board."))
}

fn ambiguous(cards: &[Card]) -> Error {
    let choices: Vec<String> = cards
        .iter()
        .map(|card| {
            format!("[{}] in \"{}\" on \"{}\"", card.id, card.column_title, card.board_title)
        })
        .collect();
    Error::refused(format!(
        "More than one card has that title. Name one by its id: {}.",
        choices.join("; ")
    ))
}
