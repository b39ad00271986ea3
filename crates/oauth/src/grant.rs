//! The token endpoint: a code, once, for an access token (OAuth 2.1 §4.1.3).

use std::time::Duration;

use portico_declaration::Lifetime;
use portico_model::{EndReason, Kind, PlainToken, Scopes, TokenHash};
use portico_storage::authorization_code::{self, Code};
use portico_storage::{Conn, Pool, client, connection};
use portico_tokens::mint_access;
use serde::{Deserialize, Serialize, Serializer};

use crate::{ErrorCode, Malformed, Parameters, Tenant, pkce};

/// A repetition within this time is a lost answer or a race, later it is a stolen code.
const REPLAY_AFTER: Duration = Duration::from_secs(30);

#[derive(Debug, Deserialize)]
#[serde(tag = "grant_type", rename_all = "snake_case")]
pub enum TokenRequest {
    AuthorizationCode(AuthorizationCode),
    #[serde(other)]
    Unsupported,
}

#[derive(Deserialize)]
pub struct AuthorizationCode {
    client_id: String,
    code: String,
    code_verifier: String,
    redirect_uri: Option<String>,
    resource: Option<String>,
    client_secret: Option<String>,
}

/// The answer of a token endpoint.
#[derive(Debug, Serialize)]
pub struct Tokens {
    #[serde(serialize_with = "expose")]
    pub access_token: PlainToken,
    pub token_type: &'static str,
    /// In seconds. Absent: until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u64>,
    pub scope: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    Incomplete(#[from] serde_json::Error),
    #[error("the only grant_type is authorization_code")]
    Unsupported,
    #[error("the client has no secret and must not send one")]
    Secret,
    #[error("the client is not registered here")]
    UnknownClient,
    #[error("the code is unknown, has run out, or was used")]
    Code,
    #[error("the code was used before; its connection is ended")]
    Replayed,
    #[error("redirect_uri is not the one of the authorization request")]
    Redirect,
    #[error("resource is not the one of the authorization request")]
    Resource,
    #[error("code_verifier does not match")]
    Verifier,
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

impl Refusal {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Malformed(Malformed::SeveralResources) | Self::Resource => {
                ErrorCode::InvalidTarget
            }
            Self::Malformed(Malformed::Repeated | Malformed::Encoding | Malformed::Control)
            | Self::Incomplete(_) => ErrorCode::InvalidRequest,
            Self::Unsupported => ErrorCode::UnsupportedGrantType,
            Self::Secret | Self::UnknownClient => ErrorCode::InvalidClient,
            Self::Code | Self::Replayed | Self::Redirect | Self::Verifier => {
                ErrorCode::InvalidGrant
            }
            Self::Storage(error) => ErrorCode::of_storage(error),
        }
    }
}

impl TokenRequest {
    pub fn parse(body: &[u8]) -> Result<Self, Refusal> {
        Ok(Parameters::parse(body)?.read()?)
    }
}

/// Answers a request to the token endpoint.
pub async fn exchange(
    pool: &Pool,
    tenant: Tenant<'_>,
    request: &TokenRequest,
    random: [u8; 32],
) -> Result<Tokens, Refusal> {
    match request {
        TokenRequest::AuthorizationCode(request) => {
            exchange_code(pool, tenant, request, random).await
        }
        TokenRequest::Unsupported => Err(Refusal::Unsupported),
    }
}

async fn exchange_code(
    pool: &Pool,
    tenant: Tenant<'_>,
    request: &AuthorizationCode,
    random: [u8; 32],
) -> Result<Tokens, Refusal> {
    if request.client_secret.is_some() {
        return Err(Refusal::Secret);
    }
    let client = request.client_id.parse().map_err(|_| Refusal::UnknownClient)?;
    let mut tx = portico_storage::begin(pool).await?;
    client::find(&mut tx, tenant.id, client).await?.ok_or(Refusal::UnknownClient)?;
    let code = PlainToken::parse(Kind::Code, &request.code).map_err(|_| Refusal::Code)?.hash();
    let found = authorization_code::lock(&mut tx, tenant.id, &code, REPLAY_AFTER).await?;
    let found = found.filter(|found| found.client == client).ok_or(Refusal::Code)?;
    check_binding(request, &found)?;
    let settled = settle(&mut tx, tenant, request, &code, &found).await?;
    let answer = match settled {
        Ok(()) => Ok(mint(&mut tx, tenant, &found, random).await?),
        Err(refusal) => Err(refusal),
    };
    // What a refusal has changed, a count or an ending, has to stay.
    portico_storage::commit(tx).await?;
    answer
}

/// What is wrong here is a mistake of the client's and costs the code nothing.
fn check_binding(request: &AuthorizationCode, found: &Code) -> Result<(), Refusal> {
    if request.redirect_uri.as_ref().is_some_and(|asked| *asked != found.redirect_uri) {
        return Err(Refusal::Redirect);
    }
    let asked = request.resource.as_deref().unwrap_or(&found.resource);
    if asked.strip_suffix('/').unwrap_or(asked) != found.resource {
        return Err(Refusal::Resource);
    }
    Ok(())
}

/// Decides about the code. The inner result is the verdict, to be committed either way.
async fn settle(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    request: &AuthorizationCode,
    code: &TokenHash,
    found: &Code,
) -> Result<Result<(), Refusal>, Refusal> {
    if !pkce::proves(&request.code_verifier, &found.challenge) {
        authorization_code::count_wrong_verifier(conn, tenant.id, code).await?;
        return Ok(Err(Refusal::Verifier));
    }
    if authorization_code::take(conn, tenant.id, code).await? {
        return Ok(Ok(()));
    }
    if found.long_consumed {
        connection::end(conn, tenant.id, found.connection, EndReason::CodeReplayed).await?;
        return Ok(Err(Refusal::Replayed));
    }
    Ok(Err(Refusal::Code))
}

async fn mint(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    found: &Code,
    random: [u8; 32],
) -> Result<Tokens, Refusal> {
    let server = tenant.declaration.server(&found.server).ok_or(Refusal::Code)?;
    let ttl = match server.access_token {
        Lifetime::Expires(ttl) => Some(ttl),
        Lifetime::UntilRevoked => None,
    };
    let access_token = mint_access(conn, tenant.id, found.connection, ttl, random).await?;
    Ok(Tokens {
        access_token,
        token_type: "Bearer",
        expires_in: ttl.map(|ttl| ttl.as_secs()),
        scope: Scopes::from_words(&found.scopes).to_string(),
    })
}

fn expose<S: Serializer>(token: &PlainToken, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(token.expose())
}

/// Holds a code and a verifier: printed, they would be in a log.
impl std::fmt::Debug for AuthorizationCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorizationCode")
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
