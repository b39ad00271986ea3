//! The one page for everything that did not go as wished.

use askama::Template;

use crate::{Frame, path};

#[derive(Debug, Template)]
#[template(path = "problem.html")]
pub struct Problem<'a> {
    pub frame: Frame<'a>,
    pub title: &'a str,
    pub happened: &'a str,
    /// What the person can do now.
    pub next: &'a str,
    /// Found again in the logs.
    pub reference: Option<&'a str>,
}

impl Problem<'_> {
    fn home(&self) -> String {
        self.frame.link(path::CONNECTIONS)
    }
}
