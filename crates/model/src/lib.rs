//! The nouns of the product, as types. No I/O of any kind happens here.

mod address;
mod colour;
mod column;
mod destination;
mod hints;
mod id;
mod issuer;
mod scopes;
mod secret;
mod slug;
mod text;
mod word;

pub use address::Address;
pub use colour::Colour;
pub use destination::Destination;
pub use hints::Hints;
pub use id::{
    AccountId, BoardId, CallId, CardId, ClientId, ColumnId, ConnectionId, PersonId, RequestId,
    TenantId, WorkspaceId,
};
pub use issuer::{Issuer, SERVERS, TENANTS, WELL_KNOWN};
pub use scopes::Scopes;
pub use secret::{Kind, Malformed, Password, PlainToken, TokenHash};
pub use slug::Slug;
pub use text::is_invisible;
pub use word::{
    AccountState, EndReason, Outcome, Role, Scope, SecurityEvent, TenantState, UnknownWord,
    WorkspaceState,
};
