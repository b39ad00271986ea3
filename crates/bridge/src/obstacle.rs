//! What stands in the way of working in a workspace, for someone who is a member of it.

use portico_model::{AccountState, WorkspaceState};
use portico_storage::membership::Workspace;

use crate::Reason;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    AccountPending,
    AccountSuspended,
    Paused,
    Archived,
}

impl Obstacle {
    /// The account's state is told first: nothing can be done below it. `None`: calls can be made.
    pub(crate) const fn of(workspace: WorkspaceState, account: AccountState) -> Option<Self> {
        match (account, workspace) {
            (AccountState::Pending, _) => Some(Self::AccountPending),
            (AccountState::Suspended, _) => Some(Self::AccountSuspended),
            (AccountState::Approved, WorkspaceState::Archived) => Some(Self::Archived),
            (AccountState::Approved, WorkspaceState::Paused) => Some(Self::Paused),
            (AccountState::Approved, WorkspaceState::Live) => None,
        }
    }

    pub(crate) const fn reason(self) -> Reason {
        match self {
            Self::AccountPending => Reason::AccountPending,
            Self::AccountSuspended => Reason::AccountSuspended,
            Self::Paused => Reason::WorkspacePaused,
            Self::Archived => Reason::WorkspaceArchived,
        }
    }

    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::AccountPending => "its account waits for approval",
            Self::AccountSuspended => "its account is suspended",
            Self::Paused => "it is paused",
            Self::Archived => "it is archived",
        }
    }
}

/// Those in which calls can be made.
pub fn usable(roster: &[Workspace]) -> Vec<&Workspace> {
    roster
        .iter()
        .filter(|it| Obstacle::of(it.workspace_state, it.account_state).is_none())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // pre:O10, sec:K05
    #[test]
    fn only_a_live_workspace_of_an_approved_account_can_be_used() {
        for &account in AccountState::ALL {
            for &workspace in WorkspaceState::ALL {
                let good = (account, workspace) == (AccountState::Approved, WorkspaceState::Live);
                let obstacle = Obstacle::of(workspace, account);
                assert_eq!(obstacle.is_none(), good, "{account} {workspace}");
            }
        }
    }
}
