//! The states, roles and reasons that rows carry.

use crate::column::words;

/// The text is none of the words of its type.
#[derive(Debug)]
pub struct UnknownWord;

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("unknown word")
    }
}

impl std::error::Error for UnknownWord {}

words! { TenantState { Live = "live", Suspended = "suspended" } }

words! { AccountState { Pending = "pending", Approved = "approved", Suspended = "suspended" } }

words! { WorkspaceState { Live = "live", Paused = "paused", Archived = "archived" } }

words! { Role { Viewer = "viewer", Member = "member", Admin = "admin" } }

words! {
    /// What a tool needs and what a connection was given.
    Scope { Read = "read", Write = "write", Delete = "delete" }
}

words! {
    /// Why a connection ended.
    EndReason {
        /// Disconnected in the account panel.
        Person = "person",
        /// Revoked by the client itself (RFC 7009).
        Client = "client",
        /// Its authorization code was presented again.
        CodeReplayed = "code_replayed",
        /// One of its refresh tokens was presented again, after the grace.
        RefreshReplayed = "refresh_replayed",
        /// The tenant withdrew the server or the host that it was for.
        ServerRemoved = "server_removed",
        /// Nobody ended it: its time ran out.
        Expired = "expired",
    }
}

words! {
    /// What happened to a connection, for those who have to find out later.
    SecurityEvent {
        /// Its client was given the first token.
        Connected = "connected",
        /// It was made for a token of an earlier system.
        Imported = "imported",
        CodeReplayed = "code_replayed",
        /// A refresh token came again while its answer could still be lost.
        RefreshRetried = "refresh_retried",
        RefreshReplayed = "refresh_replayed",
        DisconnectedByPerson = "disconnected_by_person",
        DisconnectedByClient = "disconnected_by_client",
        ServerRemoved = "server_removed",
    }
}

words! {
    /// How a call ended.
    Outcome {
        Answered = "answered",
        /// Refused in words meant for the caller.
        Refused = "refused",
        Failed = "failed",
    }
}

impl EndReason {
    /// What an ending is in the record. `None`: nobody did it.
    pub const fn event(self) -> Option<SecurityEvent> {
        match self {
            Self::Person => Some(SecurityEvent::DisconnectedByPerson),
            Self::Client => Some(SecurityEvent::DisconnectedByClient),
            Self::CodeReplayed => Some(SecurityEvent::CodeReplayed),
            Self::RefreshReplayed => Some(SecurityEvent::RefreshReplayed),
            Self::ServerRemoved => Some(SecurityEvent::ServerRemoved),
            Self::Expired => None,
        }
    }
}

impl Role {
    /// Whether a member with this role may use a tool that needs `scope`.
    pub const fn allows(self, scope: Scope) -> bool {
        match (self, scope) {
            (Self::Viewer, Scope::Read)
            | (Self::Member, Scope::Read | Scope::Write)
            | (Self::Admin, _) => true,
            (Self::Viewer, Scope::Write | Scope::Delete) | (Self::Member, Scope::Delete) => false,
        }
    }
}
