//! The question whether an app may work as the person who is asked, and how far.

use std::time::Duration;

use askama::Template;
use portico_model::{Destination, PersonId, RequestId, WorkspaceId};

use crate::{AppName, Frame, path};

/// As much of a foreign address as is shown.
const SHOWN_CHARS: usize = 120;

#[derive(Debug, Template)]
#[template(path = "consent.html")]
pub struct Consent<'a> {
    pub frame: Frame<'a>,
    pub request: RequestId,
    pub app: AppName,
    pub person: PersonId,
    pub email: &'a str,
    pub destination: Destination<'a>,
    pub is_recognised: bool,
    /// The whole address that the answer is sent to.
    pub redirect_uri: &'a str,
    pub server: &'a str,
    pub access: Access<'a>,
    /// What this place offers and the app has not asked for, in the tenant's words.
    pub may_not: Vec<&'a str>,
    pub reach: Reach<'a>,
    pub stays: Stays,
}

/// What the app may do, in the tenant's words.
#[derive(Debug)]
pub enum Access<'a> {
    Fixed {
        may: Vec<&'a str>,
        /// Whether the address itself only reads.
        is_read_only: bool,
    },
    /// Reading alone is one of the things that it asked for.
    Choice { level: &'static str, all: Vec<&'a str>, read: &'a str, only_reads: bool },
}

/// Which workspaces the app may work in.
#[derive(Debug)]
pub enum Reach<'a> {
    /// The address is for one.
    Pinned {
        workspace: &'a str,
        account: &'a str,
        is_usable: bool,
    },
    /// There is none to choose from yet.
    Nothing,
    Choice {
        accounts: Vec<Account<'a>>,
        is_every: bool,
        mistake: Option<Slip>,
    },
}

/// A customer's workspaces.
#[derive(Debug)]
pub struct Account<'a> {
    pub name: &'a str,
    pub workspaces: Vec<Workspace<'a>>,
}

#[derive(Debug)]
pub struct Workspace<'a> {
    pub id: WorkspaceId,
    pub name: &'a str,
    /// Tells it from one of the same name.
    pub alias: Option<&'a str>,
    pub is_ticked: bool,
}

/// Why the question is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    NoneTicked,
    /// One of those that were ticked cannot be used, or not any more.
    Unusable,
}

/// How long the connection lasts if nobody ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    UntilDisconnected,
    AtMost { longest: Duration, unused: Duration },
}

/// Someone is signed in who has no way into what an address is for.
#[derive(Debug, Template)]
#[template(path = "outsider.html")]
pub struct Outsider<'a> {
    pub frame: Frame<'a>,
    pub request: RequestId,
    pub app: AppName,
    pub person: PersonId,
    pub email: &'a str,
}

/// The person said no to an app that nothing is known of.
#[derive(Debug, Template)]
#[template(path = "declined.html")]
pub struct Declined<'a> {
    pub frame: Frame<'a>,
    pub app: AppName,
    pub host: &'a str,
    /// Where the app hears of it.
    pub back: &'a str,
}

impl Consent<'_> {
    fn action(&self) -> String {
        self.frame.link(path::CONSENT)
    }

    fn other_account(&self) -> String {
        other_account(&self.frame, self.request)
    }

    fn whole_address(&self) -> String {
        match self.redirect_uri.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", &self.redirect_uri[..end]),
            None => self.redirect_uri.to_owned(),
        }
    }

    const fn mistake(&self) -> Option<Slip> {
        match &self.reach {
            Reach::Choice { mistake, .. } => *mistake,
            Reach::Pinned { .. } | Reach::Nothing => None,
        }
    }
}

impl Outsider<'_> {
    fn action(&self) -> String {
        self.frame.link(path::CONSENT)
    }

    fn other_account(&self) -> String {
        other_account(&self.frame, self.request)
    }
}

impl Declined<'_> {
    fn home(&self) -> String {
        self.frame.link(path::CONNECTIONS)
    }
}

fn other_account(frame: &Frame<'_>, request: RequestId) -> String {
    format!("{}?request={request}", frame.link(path::SIGN_IN))
}

impl Slip {
    const fn text(self) -> &'static str {
        match self {
            Self::NoneTicked => "Tick at least one workspace",
            Self::Unusable => "A workspace that you ticked can no longer be used. Choose again",
        }
    }
}

impl Stays {
    fn text(self) -> String {
        match self {
            Self::UntilDisconnected => "Until you disconnect it".to_owned(),
            Self::AtMost { longest, unused } => format!(
                "Until you disconnect it; at most {}, or {} without being used",
                span(longest),
                span(unused)
            ),
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
