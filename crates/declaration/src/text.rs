//! The text of a document, and the list of what is wrong with it.

use crate::problem::{Problem, Problems};

/// A document with more mistakes than this is another document; the rest is not worth naming.
const MOST_PROBLEMS: usize = 50;

/// A document as it came, and the name that messages give it.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) file: String,
    pub(crate) content: String,
}

/// A word of the document and where it stands (a byte of the text).
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) value: String,
    pub(crate) at: usize,
}

/// Collects problems about one text.
pub(crate) struct Report<'t> {
    text: &'t Text,
    found: Vec<(usize, String)>,
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t Text) -> Self {
        Self { text, found: Vec::new() }
    }

    pub(crate) fn add(&mut self, at: usize, sentence: impl Into<String>) {
        if self.found.len() < MOST_PROBLEMS {
            self.found.push((at, sentence.into()));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn into_problems(mut self) -> Problems {
        // Stable: what stands at one place keeps the order in which it was looked for.
        self.found.sort_by_key(|(at, _)| *at);
        let text = self.text;
        Problems(self.found.into_iter().map(|(at, sentence)| text.problem(at, sentence)).collect())
    }
}

impl Text {
    fn problem(&self, at: usize, sentence: String) -> Problem {
        let before: String = self
            .content
            .char_indices()
            .take_while(|(index, _)| *index < at)
            .map(|(_, letter)| letter)
            .collect();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
        Problem { file: self.file.clone(), line, column, sentence }
    }
}
