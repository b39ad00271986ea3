//! What a browser sees at an address that is meant for apps.

use askama::Template;

use crate::{Frame, path};

#[derive(Debug, Template)]
#[template(path = "address.html")]
pub struct Address<'a> {
    pub frame: Frame<'a>,
    pub servers: Vec<Server<'a>>,
}

/// Something an app can be connected to.
#[derive(Debug)]
pub struct Server<'a> {
    pub title: &'a str,
    pub url: String,
}

impl Address<'_> {
    fn connections(&self) -> String {
        self.frame.link(path::CONNECTIONS)
    }
}
