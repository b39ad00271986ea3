//! The token endpoint (OAuth 2.1 §3.2): which grant is asked for, and what every one answers. What
//! a grant reads and takes is in its own file.

mod authorization_code;
mod refresh_token;

use portico_declaration::{Lifetime, Server};
use portico_model::{ConnectionId, Issuer, PlainToken, Scopes};
use portico_storage::{Conn, Pool};
use portico_tokens::{mint_access, mint_refresh};
use serde::{Serialize, Serializer};

use crate::parameter::{Malformed, Parameters};
use crate::{ErrorCode, GrantType, Stranger, Tenant};

/// Where the bits of new secrets come from.
pub type Random<'r> = &'r (dyn Fn() -> [u8; 32] + Sync);

/// The body of a success, ready made: given again, it is the same byte for byte.
pub struct Answer(Vec<u8>);

impl Answer {
    pub fn into_json(self) -> Vec<u8> {
        self.0
    }
}

/// What a client is given.
#[derive(Debug, Serialize)]
struct Tokens {
    access_token: Exposed,
    token_type: &'static str,
    /// In seconds. Absent: until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<Exposed>,
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
    #[error(transparent)]
    RefreshToken(#[from] refresh_token::Refusal),
}

impl Refusal {
    /// `Err`: a failure of ours, which says nothing about the request. Told `invalid_grant`, the
    /// client would throw its credentials away.
    pub const fn code(&self) -> Result<ErrorCode, &portico_storage::Error> {
        match self {
            Self::Unsupported => Ok(ErrorCode::UnsupportedGrantType),
            Self::Stranger(stranger) => stranger.code(),
            Self::AuthorizationCode(refusal) => Ok(refusal.code()),
            Self::RefreshToken(refusal) => Ok(refusal.code()),
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
    random: Random<'_>,
) -> Result<Answer, Refusal> {
    let asked = Parameters::parse(form)?;
    match read_type(&asked)? {
        GrantType::AuthorizationCode => {
            authorization_code::exchange(pool, tenant, &asked, random).await
        }
        GrantType::RefreshToken => refresh_token::exchange(pool, tenant, &asked, random).await,
    }
}

fn read_type(asked: &Parameters) -> Result<GrantType, Refusal> {
    GrantType::find(asked.required("grant_type")?).ok_or(Refusal::Unsupported)
}

/// Whether what is bound to the resource was given by this issuer. The tenant's others, at other
/// hosts, know nothing of it.
fn is_issuers(tenant: Tenant<'_>, bound: &str) -> bool {
    tenant.issuer.target(bound).is_some()
}

/// A `resource` that is sent here is the connection's, with or without a slash at its end.
fn is_resource(issuer: &Issuer, asked: Option<&str>, bound: &str) -> bool {
    asked.is_none_or(|asked| {
        issuer.target(asked).is_some_and(|asked| issuer.target(bound) == Some(asked))
    })
}

/// What tokens are minted for.
struct Mandate<'m> {
    connection: ConnectionId,
    server: &'m Server,
    scopes: &'m Scopes,
}

/// An access token, and what renews it where it runs out: real clients forget to ask for that.
/// Belongs in the transaction that took whatever they are minted for.
async fn mint(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    mandate: Mandate<'_>,
    random: Random<'_>,
) -> Result<Tokens, portico_storage::Error> {
    let Mandate { connection, server, scopes } = mandate;
    let (ttl, refresh_token) = match server.access_token {
        Lifetime::Expires(ttl) => {
            let refresh_token = mint_refresh(conn, tenant.id, connection, random()).await?;
            (Some(ttl), Some(Exposed(refresh_token)))
        }
        Lifetime::UntilRevoked => (None, None),
    };
    let access_token = mint_access(conn, tenant.id, connection, ttl, random()).await?;
    Ok(Tokens {
        access_token: Exposed(access_token),
        token_type: "Bearer",
        expires_in: ttl.map(|ttl| ttl.as_secs()),
        refresh_token,
        scope: scopes.to_string(),
    })
}

impl Tokens {
    #[expect(clippy::expect_used, reason = "texts and a number, under names of ours")]
    fn answer(&self) -> Answer {
        Answer(serde_json::to_vec(self).expect("it is always JSON"))
    }
}

/// Written out, in the one answer that hands it out.
#[derive(Debug)]
struct Exposed(PlainToken);

impl Serialize for Exposed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.expose())
    }
}

#[cfg(test)]
mod tests;
