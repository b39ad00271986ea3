//! The one table of revisions: their dates, eras and methods. A new revision is one more variant and one more row.
//! Refuses to know how a message is framed; `message` and `result` ask here.

use std::fmt;

/// How a client says which revision it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Once, by `initialize`; afterwards by a header.
    Handshake,
    /// On every request, in `_meta` and in headers.
    PerRequest,
}

/// A revision of the protocol that is served. The order is by date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

/// A method that some revision has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Initialize,
    Ping,
    Discover,
    ListTools,
    CallTool,
}

struct Row {
    date: &'static str,
    era: Era,
    methods: &'static [(&'static str, Verb)],
    /// Whether one body may bring several messages.
    batches: bool,
    /// Whether tools and servers have a title beside their name.
    titles: bool,
}

/// The handshake's row of that date, as most of them are.
const fn handshake(date: &'static str) -> Row {
    Row { date, era: Era::Handshake, methods: HANDSHAKE_METHODS, batches: false, titles: true }
}

const HANDSHAKE_METHODS: &[(&str, Verb)] = &[
    ("initialize", Verb::Initialize),
    ("ping", Verb::Ping),
    ("tools/list", Verb::ListTools),
    ("tools/call", Verb::CallTool),
];

const PER_REQUEST_METHODS: &[(&str, Verb)] = &[
    ("server/discover", Verb::Discover),
    ("tools/list", Verb::ListTools),
    ("tools/call", Verb::CallTool),
];

impl Revision {
    /// Newest first, as clients are told.
    pub const ALL: [Self; 4] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26];

    /// What `initialize` is answered with when it asks for something else.
    pub const NEWEST_HANDSHAKE: Self = Self::V2025_11_25;

    /// What a request without a version header is read as: the last revision that had none.
    pub const UNSTATED: Self = Self::V2025_03_26;

    /// The first date of the per-request era: a header from here on is proof of it.
    pub(crate) const FIRST_PER_REQUEST: &'static str = "2026-07-28";

    const fn row(self) -> Row {
        match self {
            Self::V2025_03_26 => Row { batches: true, titles: false, ..handshake("2025-03-26") },
            Self::V2025_06_18 => handshake("2025-06-18"),
            Self::V2025_11_25 => handshake("2025-11-25"),
            Self::V2026_07_28 => Row {
                date: "2026-07-28",
                era: Era::PerRequest,
                methods: PER_REQUEST_METHODS,
                batches: false,
                titles: true,
            },
        }
    }

    pub const fn as_str(self) -> &'static str {
        self.row().date
    }

    pub(crate) const fn era(self) -> Era {
        self.row().era
    }

    pub(crate) const fn has_batches(self) -> bool {
        self.row().batches
    }

    pub(crate) const fn has_titles(self) -> bool {
        self.row().titles
    }

    /// The served revision of that date.
    pub fn find(date: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == date)
    }

    /// What `initialize` is answered with: the revision asked for, if the handshake can open it.
    pub(crate) fn negotiate(asked: &str) -> Self {
        Self::find(asked).filter(|it| it.era() == Era::Handshake).unwrap_or(Self::NEWEST_HANDSHAKE)
    }

    pub(crate) fn verb(self, method: &str) -> Option<Verb> {
        self.row().methods.iter().find(|(name, _)| *name == method).map(|(_, verb)| *verb)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // mcp:H14, pre:C8, cli:67
    #[test]
    fn a_handshake_opens_the_revision_asked_for_or_the_newest_of_its_era() {
        for (asked, given) in [
            ("2024-11-05", Revision::V2025_11_25),
            ("2025-03-26", Revision::V2025_03_26),
            ("2025-06-18", Revision::V2025_06_18),
            ("2025-11-25", Revision::V2025_11_25),
            ("2026-07-28", Revision::V2025_11_25),
            ("1999-01-01", Revision::V2025_11_25),
            ("2099-01-01", Revision::V2025_11_25),
            ("", Revision::V2025_11_25),
        ] {
            assert_eq!(Revision::negotiate(asked), given, "{asked}");
        }
    }

    #[test]
    fn the_list_is_complete_and_newest_first() {
        assert!(Revision::ALL.is_sorted_by(|newer, older| newer > older));
        for revision in Revision::ALL {
            assert_eq!(Revision::find(revision.as_str()), Some(revision), "{revision}");
            let by_date = revision.as_str() >= Revision::FIRST_PER_REQUEST;
            assert_eq!(by_date, revision.era() == Era::PerRequest, "{revision}");
        }
    }
}
