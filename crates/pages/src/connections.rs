//! The account panel: the apps that work as this person, and those that did.

use askama::Template;
use portico_model::{ConnectionId, EndReason};

use crate::address::Server;
use crate::{AppName, Frame, When, path};

/// More names than this are counted.
const NAMED_WORKSPACES: usize = 5;

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
    /// What the app was given.
    pub address: &'a str,
    /// What it may do, in the tenant's words.
    pub may: Vec<&'a str>,
    /// Whether all of it is reading.
    pub only_reads: bool,
    pub works_in: WorksIn<'a>,
    pub connected_at: When,
    pub last_used_at: Option<When>,
    pub ends: Ends,
}

/// The workspaces that a connection may use.
#[derive(Debug)]
pub enum WorksIn<'a> {
    Every,
    /// Those that the person is still in, and how many they have left since.
    These {
        names: Vec<&'a str>,
        left: usize,
    },
}

/// When a connection ends by itself.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub unless_used_before: Option<When>,
    pub at_the_latest: Option<When>,
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

    /// What the person should not have to look for.
    fn alarms(&self) -> Vec<&Ended> {
        self.ended.iter().filter(|ended| ended.is_alarming()).collect()
    }
}

impl Connection<'_> {
    fn disconnect(&self, frame: &Frame<'_>) -> String {
        format!("{}/{}/disconnect", frame.link(path::CONNECTIONS), self.id)
    }
}

impl WorksIn<'_> {
    fn text(&self) -> String {
        let (names, left) = match self {
            Self::Every => return "All your workspaces, also ones you join later".to_owned(),
            Self::These { names, left } => (names, *left),
        };
        let (first, rest) = names.split_at(names.len().min(NAMED_WORKSPACES));
        let mut text = first.join(", ");
        if text.is_empty() {
            "None".clone_into(&mut text);
        }
        if !rest.is_empty() {
            text = format!("{text} and {} more", rest.len());
        }
        match left {
            0 => text,
            1 => format!("{text} (you have left another one)"),
            more => format!("{text} (you have left {more} others)"),
        }
    }
}

impl Ends {
    fn text(self) -> String {
        match (self.unless_used_before, self.at_the_latest) {
            (None, None) => "No, it stays until you disconnect it".to_owned(),
            (Some(unused), None) => format!("{}, if it is not used before", unused.day()),
            (Some(unused), Some(latest)) if unused < latest => format!(
                "{}, if it is not used before; {} at the latest",
                unused.day(),
                latest.day()
            ),
            (_, Some(latest)) => latest.day(),
        }
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
            EndReason::Expired => "Its time ran out",
        }
    }

    /// Whether somebody else may have held what was the app's.
    const fn is_alarming(&self) -> bool {
        match self.reason {
            EndReason::CodeReplayed | EndReason::RefreshReplayed => true,
            EndReason::Person
            | EndReason::Client
            | EndReason::ServerRemoved
            | EndReason::Expired => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn where_an_app_may_work_is_never_said_to_be_more_than_it_is() {
        for (works_in, said) in [
            (WorksIn::Every, "All your workspaces, also ones you join later"),
            (WorksIn::These { names: vec!["A", "B"], left: 0 }, "A, B"),
            (WorksIn::These { names: vec!["A"], left: 1 }, "A (you have left another one)"),
            (WorksIn::These { names: vec![], left: 2 }, "None (you have left 2 others)"),
            (
                WorksIn::These { names: vec!["A", "B", "C", "D", "E", "F", "G"], left: 0 },
                "A, B, C, D, E and 2 more",
            ),
        ] {
            assert_eq!(works_in.text(), said);
        }
    }

    #[test]
    fn an_end_is_said_with_what_puts_it_off() {
        let soon = Some(When::new(datetime!(2026-12-30 09:00 UTC)));
        let late = Some(When::new(datetime!(2027-05-29 09:00 UTC)));
        for (unless_used_before, at_the_latest, said) in [
            (None, None, "No, it stays until you disconnect it"),
            (soon, None, "30 December 2026, if it is not used before"),
            (soon, late, "30 December 2026, if it is not used before; 29 May 2027 at the latest"),
            (late, late, "29 May 2027"),
            (None, late, "29 May 2027"),
        ] {
            assert_eq!(Ends { unless_used_before, at_the_latest }.text(), said);
        }
    }
}
