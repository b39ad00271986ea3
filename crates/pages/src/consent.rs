//! The question whether an app may work as the person who is asked.

use std::time::Duration;

use askama::Template;
use portico_model::{Destination, PersonId, RequestId};

use crate::{AppName, Frame, path};

/// More names than this are counted.
const NAMED_WORKSPACES: usize = 5;

#[derive(Debug, Template)]
#[template(path = "consent.html")]
pub struct Consent<'a> {
    pub frame: Frame<'a>,
    pub request: RequestId,
    pub app: AppName,
    pub person: PersonId,
    pub email: &'a str,
    /// What it may do, and what it may not although this place offers it, in the tenant's words.
    pub may: Vec<&'a str>,
    pub may_not: Vec<&'a str>,
    pub destination: Destination<'a>,
    pub server: &'a str,
    /// Names of the workspaces that it reaches today.
    pub workspaces: Vec<&'a str>,
    pub stays: Stays,
}

/// How long the connection lasts if nobody ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    UntilDisconnected,
    AtMost(Duration),
}

impl Consent<'_> {
    fn action(&self) -> String {
        self.frame.link(path::CONSENT)
    }

    fn other_account(&self) -> String {
        format!("{}?request={}", self.frame.link(path::SIGN_IN), self.request)
    }

    fn workspace_names(&self) -> String {
        let (named, rest) = self.workspaces.split_at(self.workspaces.len().min(NAMED_WORKSPACES));
        match rest.len() {
            0 => named.join(", "),
            more => format!("{} and {more} more", named.join(", ")),
        }
    }
}

impl Stays {
    fn text(self) -> String {
        match self {
            Self::UntilDisconnected => "Until you disconnect it".to_owned(),
            Self::AtMost(time) => format!("For {}, or until you disconnect it", span(time)),
        }
    }
}

/// In the largest unit that fits without a rest.
fn span(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    let (count, unit) = if minutes > 0 && minutes.is_multiple_of(24 * 60) {
        (minutes / (24 * 60), "day")
    } else if minutes > 0 && minutes.is_multiple_of(60) {
        (minutes / 60, "hour")
    } else {
        (minutes, "minute")
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_is_said_in_its_own_unit() {
        for (seconds, said) in [
            (60, "1 minute"),
            (5_400, "90 minutes"),
            (3_600, "1 hour"),
            (28_800, "8 hours"),
            (86_400, "1 day"),
            (2_592_000, "30 days"),
        ] {
            assert_eq!(span(Duration::from_secs(seconds)), said, "{seconds}");
        }
    }
}
