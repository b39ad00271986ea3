//! The nouns of the product, as types. No I/O of any kind happens here.

mod column;
mod id;
mod issuer;
mod scopes;
mod secret;
mod word;

pub use id::{
    AccountId, BoardId, CallId, CardId, ClientId, ColumnId, ConnectionId, PersonId, RequestId,
    TenantId, WorkspaceId,
};
pub use issuer::Issuer;
pub use scopes::Scopes;
pub use secret::{Kind, Malformed, Password, PlainToken, TokenHash};
pub use word::{
    AccountState, EndReason, Outcome, Role, Scope, TenantState, UnknownWord, WorkspaceState,
};
