//! Dynamic client registration (RFC 7591): public clients only, and the same metadata is the same
//! client, since many register at every start.

use portico_declaration::Redirects;
use portico_model::{ClientId, Scopes, is_invisible};
use portico_storage::{Pool, client};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::redirect::{Target, Unacceptable};
use crate::{ClientAuthentication, ErrorCode, GrantType, ResponseType, Tenant};

const MOST_REDIRECTS: usize = 10;
const LONGEST_NAME: usize = 120;

/// What a client sends. Members that are not here are ignored.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    client_name: Option<String>,
    redirect_uris: Option<Vec<String>>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
    scope: Option<String>,
}

/// What was registered.
#[derive(Debug, Serialize)]
pub struct Registered {
    pub client_id: ClientId,
    pub client_id_issued_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    pub redirect_uris: Vec<String>,
    pub grant_types: &'static [GrantType],
    pub response_types: &'static [ResponseType],
    pub token_endpoint_auth_method: ClientAuthentication,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the body is not a JSON object of client metadata")]
    Body(#[source] serde_json::Error),
    #[error("redirect_uris holds no address")]
    NoRedirects,
    #[error("redirect_uris holds more than 10 addresses")]
    ManyRedirects,
    #[error("redirect_uris[{index}] is not accepted: {reason}")]
    Redirect { index: usize, reason: Unacceptable },
    #[error("client_name is longer than 120 characters")]
    LongName,
    #[error("client_name holds a character that is not shown")]
    InvisibleName,
    #[error("grant_types holds none that is served: {}", GrantType::served())]
    GrantTypes,
    #[error("response_types holds none that is served: {}", ResponseType::served())]
    ResponseTypes,
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

impl Refusal {
    /// `Err`: a failure of ours, which says nothing about the request.
    pub const fn code(&self) -> Result<ErrorCode, &portico_storage::Error> {
        match self {
            Self::NoRedirects | Self::ManyRedirects | Self::Redirect { .. } => {
                Ok(ErrorCode::InvalidRedirectUri)
            }
            Self::Body(_)
            | Self::LongName
            | Self::InvisibleName
            | Self::GrantTypes
            | Self::ResponseTypes => Ok(ErrorCode::InvalidClientMetadata),
            Self::Storage(error) => Err(error),
        }
    }
}

/// Metadata that was found acceptable.
#[derive(Debug)]
struct Accepted {
    name: Option<String>,
    redirects: Vec<Target>,
    scopes: Scopes,
}

/// The part of the metadata that says who a client is. Its order of members is part of every
/// digest: never change it.
#[derive(Serialize)]
struct Identity<'a> {
    client_name: Option<&'a str>,
    redirect_uris: Vec<String>,
    scope: String,
}

impl Metadata {
    pub fn parse(body: &[u8]) -> Result<Self, Refusal> {
        // Serde would take the members of an array in their order.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(Refusal::Body(serde::de::Error::custom("not an object")));
        }
        serde_json::from_slice(body).map_err(Refusal::Body)
    }

    fn accept(self, tenant: Tenant<'_>) -> Result<Accepted, Refusal> {
        let name = self.client_name.filter(|name| !name.is_empty());
        if let Some(name) = &name {
            check_name(name)?;
        }
        if !serves(self.grant_types.as_deref(), |word| GrantType::find(word).is_some()) {
            return Err(Refusal::GrantTypes);
        }
        if !serves(self.response_types.as_deref(), |word| ResponseType::find(word).is_some()) {
            return Err(Refusal::ResponseTypes);
        }
        let redirects = accept_redirects(
            &self.redirect_uris.unwrap_or_default(),
            &tenant.declaration.redirects,
        )?;
        let scopes = Scopes::parse(self.scope.as_deref().unwrap_or_default())
            .intersection(&tenant.declaration.scope_set());
        Ok(Accepted { name, redirects, scopes })
    }
}

/// Absent is the protocol's default, which is served.
fn serves(asked: Option<&[String]>, is_served: impl Fn(&str) -> bool) -> bool {
    asked.is_none_or(|words| words.is_empty() || words.iter().any(|word| is_served(word)))
}

/// One refused address refuses all: a client that lost one without a word would fail later.
fn accept_redirects(texts: &[String], allowed: &Redirects) -> Result<Vec<Target>, Refusal> {
    if texts.is_empty() {
        return Err(Refusal::NoRedirects);
    }
    if texts.len() > MOST_REDIRECTS {
        return Err(Refusal::ManyRedirects);
    }
    let parse = |(index, text): (usize, &String)| {
        Target::parse(text, allowed).map_err(|reason| Refusal::Redirect { index, reason })
    };
    texts.iter().enumerate().map(parse).collect()
}

fn check_name(name: &str) -> Result<(), Refusal> {
    if name.chars().count() > LONGEST_NAME {
        return Err(Refusal::LongName);
    }
    if name.chars().any(is_invisible) {
        return Err(Refusal::InvisibleName);
    }
    Ok(())
}

impl Accepted {
    fn identity(&self) -> Identity<'_> {
        let mut redirect_uris: Vec<String> =
            self.redirects.iter().map(Target::without_loopback_port).collect();
        redirect_uris.sort_unstable();
        redirect_uris.dedup();
        Identity {
            client_name: self.name.as_deref(),
            redirect_uris,
            scope: self.scopes.to_string(),
        }
    }

    fn redirect_texts(&self) -> Vec<String> {
        self.redirects.iter().map(|target| target.as_str().to_owned()).collect()
    }
}

/// Registers the client, or recognises it.
pub async fn register(
    pool: &Pool,
    tenant: Tenant<'_>,
    metadata: Metadata,
) -> Result<Registered, Refusal> {
    let accepted = metadata.accept(tenant)?;
    let redirect_uris = accepted.redirect_texts();
    let identity = serde_json::to_value(accepted.identity()).map_err(Refusal::Body)?;
    let registration = client::Registration {
        digest: Sha256::digest(identity.to_string()).into(),
        name: accepted.name.as_deref(),
        redirect_uris: &redirect_uris,
        metadata: &identity,
    };
    let mut conn = portico_storage::acquire(pool).await?;
    let client = client::register(&mut conn, tenant.id, &registration).await?;
    Ok(Registered {
        client_id: client.id,
        client_id_issued_at: client.created_at.unix_timestamp(),
        client_name: accepted.name,
        redirect_uris,
        grant_types: GrantType::of_issuer(tenant.issuer, tenant.declaration),
        response_types: ResponseType::ALL,
        token_endpoint_auth_method: ClientAuthentication::None,
        scope: (!accepted.scopes.is_empty()).then(|| accepted.scopes.to_string()),
    })
}

#[cfg(test)]
mod tests;
