//! The authorization server's rules and steps: registration, authorization, consent, the exchange
//! of a code, revocation. It knows neither requests nor pages nor SQL.

pub mod authorization;
mod capability;
pub mod consent;
mod error;
#[cfg(test)]
mod fixture;
pub mod grant;
pub mod import;
mod parameter;
mod pkce;
mod public_client;
mod redirect;
pub mod registration;
pub mod revocation;

pub use capability::{ChallengeMethod, ClientAuthentication, GrantType, ResponseType};
pub use error::ErrorCode;
pub use public_client::Stranger;
pub use redirect::destination;

use portico_declaration::Declaration;
use portico_model::{Issuer, TenantId};

/// Whose authorization server is speaking, and what the tenant declared.
#[derive(Clone, Copy, Debug)]
pub struct Tenant<'t> {
    pub id: TenantId,
    pub issuer: &'t Issuer,
    /// The vanity host that the issuer is; `None` at the gateway's own origin.
    pub host: Option<&'t str>,
    /// Of the declaration.
    pub version: i32,
    pub declaration: &'t Declaration,
}
