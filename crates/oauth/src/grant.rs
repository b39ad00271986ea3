//! The token endpoint (OAuth 2.1 §3.2): which grant is asked for, and what every one answers. What
//! a grant reads and takes is in its own file.

mod authorization_code;

use std::time::Duration;

use portico_model::{PlainToken, Scopes};
use portico_storage::Pool;
use serde::{Serialize, Serializer};

use crate::parameter::{Malformed, Parameters};
use crate::{ErrorCode, GrantType, Stranger, Tenant};

/// The answer of a token endpoint.
#[derive(Debug, Serialize)]
pub struct Tokens {
    #[serde(serialize_with = "expose")]
    access_token: PlainToken,
    token_type: &'static str,
    /// In seconds. Absent: until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in: Option<u64>,
    scope: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("grant_type is none that is served: {}", GrantType::served())]
    Unsupported,
    #[error(transparent)]
    Stranger(#[from] Stranger),
    #[error(transparent)]
    AuthorizationCode(#[from] authorization_code::Refusal),
}

impl Refusal {
    /// `Err`: a failure of ours, which says nothing about the request. Told `invalid_grant`, the
    /// client would throw its credentials away.
    pub const fn code(&self) -> Result<ErrorCode, &portico_storage::Error> {
        match self {
            Self::Unsupported => Ok(ErrorCode::UnsupportedGrantType),
            Self::Stranger(stranger) => stranger.code(),
            Self::AuthorizationCode(refusal) => Ok(refusal.code()),
        }
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        Self::Stranger(malformed.into())
    }
}

impl From<portico_storage::Error> for Refusal {
    fn from(error: portico_storage::Error) -> Self {
        Self::Stranger(error.into())
    }
}

/// Answers a form that was sent to the token endpoint.
pub async fn exchange(
    pool: &Pool,
    tenant: Tenant<'_>,
    form: &[u8],
    random: [u8; 32],
) -> Result<Tokens, Refusal> {
    let asked = Parameters::parse(form)?;
    match read_type(&asked)? {
        GrantType::AuthorizationCode => {
            authorization_code::exchange(pool, tenant, &asked, random).await
        }
    }
}

fn read_type(asked: &Parameters) -> Result<GrantType, Refusal> {
    GrantType::find(asked.required("grant_type")?).ok_or(Refusal::Unsupported)
}

impl Tokens {
    fn new(access_token: PlainToken, ttl: Option<Duration>, scopes: &Scopes) -> Self {
        Self {
            access_token,
            token_type: "Bearer",
            expires_in: ttl.map(|ttl| ttl.as_secs()),
            scope: scopes.to_string(),
        }
    }
}

fn expose<S: Serializer>(token: &PlainToken, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(token.expose())
}

#[cfg(test)]
mod tests;
