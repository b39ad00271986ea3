//! Revocation by the client (RFC 7009). Whether a token exists is not told.

use portico_model::{Kind, PlainToken};
use portico_storage::{Pool, connection};
use serde::Deserialize;

use crate::{ErrorCode, Malformed, Parameters, Tenant};

/// `token_type_hint` is left out: a token's prefix says what it is.
#[derive(Deserialize)]
pub struct Revocation {
    client_id: String,
    token: String,
    client_secret: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    Incomplete(#[from] serde_json::Error),
    #[error("the client has no secret and must not send one")]
    Secret,
    #[error("the client is not registered here")]
    UnknownClient,
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

impl Refusal {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Malformed(_) | Self::Incomplete(_) => ErrorCode::InvalidRequest,
            Self::Secret | Self::UnknownClient => ErrorCode::InvalidClient,
            Self::Storage(error) => ErrorCode::of_storage(error),
        }
    }
}

impl Revocation {
    pub fn parse(body: &[u8]) -> Result<Self, Refusal> {
        Ok(Parameters::parse(body)?.read()?)
    }
}

/// Ends the token's connection, if the token is the client's. The answer is the same otherwise.
pub async fn revoke(pool: &Pool, tenant: Tenant<'_>, request: &Revocation) -> Result<(), Refusal> {
    if request.client_secret.is_some() {
        return Err(Refusal::Secret);
    }
    let client = request.client_id.parse().map_err(|_| Refusal::UnknownClient)?;
    let Ok(token) = PlainToken::parse(Kind::AccessToken, &request.token) else {
        return Ok(());
    };
    let mut conn = portico_storage::acquire(pool).await?;
    connection::end_by_token(&mut conn, tenant.id, &token.hash(), client).await?;
    Ok(())
}

/// Holds a token: printed, it would be in a log.
impl std::fmt::Debug for Revocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Revocation").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}
