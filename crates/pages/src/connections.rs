//! The account panel: the apps that work as this person, and those that did.

use askama::Template;
use portico_model::{ConnectionId, EndReason};

use crate::address::Server;
use crate::{AppName, Frame, When, path};

#[derive(Debug, Template)]
#[template(path = "connections.html")]
pub struct Connections<'a> {
    pub frame: Frame<'a>,
    pub email: &'a str,
    /// The app whose connection was ended a moment ago.
    pub disconnected: Option<AppName>,
    pub apps: Vec<App<'a>>,
    pub ended: Vec<Ended>,
    /// What can be connected, for someone who has nothing yet.
    pub servers: Vec<Server<'a>>,
}

/// The connections of one app. Each installation of it has its own.
#[derive(Debug)]
pub struct App<'a> {
    pub name: AppName,
    /// What it identified itself by: a host, or "on your computer".
    pub identity: String,
    pub connections: Vec<Connection<'a>>,
}

#[derive(Debug)]
pub struct Connection<'a> {
    pub id: ConnectionId,
    pub server: &'a str,
    /// What it may do, in the tenant's words.
    pub may: Vec<&'a str>,
    pub connected_at: When,
    pub last_used_at: Option<When>,
}

#[derive(Debug)]
pub struct Ended {
    pub app: AppName,
    pub identity: String,
    pub ended_at: When,
    pub reason: EndReason,
}

impl Connections<'_> {
    fn sign_out(&self) -> String {
        self.frame.link(path::SIGN_OUT)
    }
}

impl Connection<'_> {
    fn disconnect(&self, frame: &Frame<'_>) -> String {
        format!("{}/{}/disconnect", frame.link(path::CONNECTIONS), self.id)
    }
}

impl Ended {
    const fn why(&self) -> &'static str {
        match self.reason {
            EndReason::Person => "You disconnected it",
            EndReason::Client => "The app disconnected itself",
            EndReason::CodeReplayed => "Ended for your safety: a sign-in of it was used twice",
            EndReason::RefreshReplayed => "Ended for your safety: a key of it was used twice",
            EndReason::ServerRemoved => "What it used is no longer offered",
            EndReason::Expired => "It was not used for too long",
        }
    }
}
