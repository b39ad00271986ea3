//! Why a call was not answered, as a word for machines: in the record, and in what is counted.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    UnknownTool,
    /// More calls than a minute has for the connection.
    RateLimited,
    InsufficientScope,
    InvalidArguments,
    WorkspaceMissing,
    /// There is none of that name, or it is not the caller's: nobody is told which.
    WorkspaceUnknown,
    WorkspaceAmbiguous,
    /// The caller did not allow the connection to use it.
    WorkspaceNotChosen,
    /// The address is for another.
    WorkspaceNotPinned,
    /// The address means another than it was allowed for.
    AddressMoved,
    WorkspacePaused,
    WorkspaceArchived,
    AccountPending,
    AccountSuspended,
    /// The caller has none that can be used.
    NoWorkspace,
    Role,
    /// More writes than a day has for the connection.
    WriteBudget,
    /// The tool said so, in words of its own.
    Tool,
    /// The database was away.
    Outage,
    /// The caller went away before the answer.
    Abandoned,
}

impl Reason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::RateLimited => "rate_limited",
            Self::InsufficientScope => "insufficient_scope",
            Self::InvalidArguments => "invalid_arguments",
            Self::WorkspaceMissing => "workspace_missing",
            Self::WorkspaceUnknown => "workspace_unknown",
            Self::WorkspaceAmbiguous => "workspace_ambiguous",
            Self::WorkspaceNotChosen => "workspace_not_chosen",
            Self::WorkspaceNotPinned => "workspace_not_pinned",
            Self::AddressMoved => "address_moved",
            Self::WorkspacePaused => "workspace_paused",
            Self::WorkspaceArchived => "workspace_archived",
            Self::AccountPending => "account_pending",
            Self::AccountSuspended => "account_suspended",
            Self::NoWorkspace => "no_workspace",
            Self::Role => "role",
            Self::WriteBudget => "write_budget",
            Self::Tool => "tool",
            Self::Outage => "outage",
            Self::Abandoned => "abandoned",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
