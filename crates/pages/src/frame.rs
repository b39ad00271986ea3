//! What all pages of a tenant share, and how a page becomes text.

use askama::Template;

use crate::{Accent, path, stylesheet};

/// Whose page it is.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub brand: &'a str,
    /// The issuer's path: empty, or `/v/<tenant>`.
    pub base: &'a str,
    pub accent: Accent,
    /// Where people of this tenant get help.
    pub support_url: Option<&'a str>,
}

impl Frame<'_> {
    /// For an address that belongs to no tenant.
    pub const NOBODY: Frame<'static> =
        Frame { brand: "Portico", base: "", accent: Accent::DEFAULT, support_url: None };

    pub(crate) fn link(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The tag changes with the content, so that a browser may keep what it has.
    pub(crate) fn stylesheet(&self) -> String {
        let tag = stylesheet::tag(self.accent);
        format!("{}{}?v={tag:08x}", self.base, path::STYLESHEET)
    }

    pub(crate) fn letter(&self) -> String {
        first_letter(self.brand)
    }
}

/// The letter that stands for a name where it has no picture.
pub(crate) fn first_letter(name: &str) -> String {
    name.chars()
        .find(|character| character.is_alphanumeric())
        .map_or_else(|| "?".to_owned(), |letter| letter.to_uppercase().collect())
}

/// The page as HTML.
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "writing to a String does not fail, and our templates use no filter that does"
)]
pub fn render(page: &impl Template) -> String {
    page.render().expect("a page is written to a String")
}
