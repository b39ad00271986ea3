//! What people write on boards, and how it is shown. Titles and names are one line each, so that
//! none can pass for a line of the answer it stands in.

use std::fmt;

use portico_model::BoardId;
use portico_registry::{Context, Error};

/// One line with something on it, its ends trimmed.
pub(crate) fn line(field: &str, text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::refused(format!("{field}: must not be empty")));
    }
    optional_line(field, text)
}

/// One line, perhaps with nothing on it.
pub(crate) fn optional_line(field: &str, text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.chars().any(breaks_line) {
        return Err(Error::refused(format!(
            "{field}: must be one line, without control characters"
        )));
    }
    Ok(text.to_owned())
}

fn breaks_line(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// A board as sentences name it: title, id, and its address where it has one.
pub(crate) fn board(context: &Context, id: BoardId, title: &str) -> String {
    match board_link(context, id) {
        Some(link) => format!("\"{title}\" [{id}] ({link})"),
        None => format!("\"{title}\" [{id}]"),
    }
}

pub(crate) fn board_link(context: &Context, id: BoardId) -> Option<String> {
    context.link(&format!("/boards/{id}"))
}

/// `1 card`, `2 cards`
pub(crate) fn count(number: i64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `"a", "b"`
pub(crate) fn quoted<T: fmt::Display>(words: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("\"{word}\"")).collect();
    words.join(", ")
}
