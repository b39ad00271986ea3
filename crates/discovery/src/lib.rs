//! What clients are told about where everything is: well-known documents and the challenge of a
//! refused call, as functions of an issuer and a declaration. It knows no request.

mod authorization_server;
mod challenge;
pub mod path;
mod protected_resource;

pub use authorization_server::{AuthorizationServer, authorization_server};
pub use challenge::{insufficient_scope, invalid_token, unauthenticated};
pub use protected_resource::{ProtectedResource, protected_resource};
