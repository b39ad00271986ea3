//! The authorization request (OAuth 2.1 §4.1.1): checked, and kept here until a person answers.
//! Nothing is minted by asking.

use std::time::Duration;

use portico_model::{Address, RequestId, Scopes, TokenHash};
use portico_storage::client::Client;
use portico_storage::{Pool, authorization_request, client};
use url::Url;

use crate::parameter::{Malformed, Parameters};
use crate::pkce::Challenge;
use crate::redirect::Redirect;
use crate::{ChallengeMethod, ErrorCode, ResponseType, Tenant};

/// A person may have to sign in, or find the password first.
const REQUEST_TTL: Duration = Duration::from_mins(30);
const LONGEST_STATE: usize = 4_096;

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no address that an answer could safely be sent to: the person is told here.
    #[error(transparent)]
    DeadEnd(#[from] DeadEnd),
    /// The client is told.
    #[error(transparent)]
    Answer(Box<Answer>),
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

/// Why the browser is not sent back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeadEnd {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("client_id is missing")]
    NoClient,
    #[error("the client is not registered here")]
    UnknownClient,
    #[error("redirect_uri is missing, and the client registered several")]
    NoRedirect,
    /// Both sides of the disagreement, for the person who has to tell somebody.
    #[error("redirect_uri is not one that the client registered")]
    OtherRedirect { asked: String, registered: Vec<String> },
}

/// An error that travels back to the client.
#[derive(Debug, thiserror::Error)]
#[error("{mistake}")]
pub struct Answer {
    pub to: Url,
    pub mistake: Mistake,
}

/// What is wrong with a request whose client is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    #[error("response_type is missing")]
    NoResponseType,
    #[error("response_type is none that is served: {}", ResponseType::served())]
    ResponseType,
    #[error("the only response_mode is query")]
    ResponseMode,
    #[error("request objects are not supported")]
    RequestObject,
    #[error("request_uri is not supported")]
    RequestUri,
    #[error("state is longer than 4096 characters")]
    LongState,
    #[error("code_challenge_method must be {}", ChallengeMethod::served())]
    ChallengeMethod,
    #[error("code_challenge must be a SHA-256 in base64url without padding")]
    Challenge,
    #[error("resource must be the address of one of the servers here")]
    Resource,
    #[error("a person has to be asked every time")]
    Silent,
}

impl Mistake {
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::ResponseType => ErrorCode::UnsupportedResponseType,
            Self::RequestObject => ErrorCode::RequestNotSupported,
            Self::RequestUri => ErrorCode::RequestUriNotSupported,
            Self::Resource => ErrorCode::InvalidTarget,
            Self::Silent => ErrorCode::InteractionRequired,
            Self::NoResponseType
            | Self::ResponseMode
            | Self::LongState
            | Self::ChallengeMethod
            | Self::Challenge => ErrorCode::InvalidRequest,
        }
    }
}

/// What a valid request asks for.
struct Wish<'p> {
    state: Option<&'p str>,
    challenge: Challenge,
    address: Address<'p>,
    scopes: Scopes,
}

/// Checks a request and keeps it for the browser that made it.
pub async fn begin(
    pool: &Pool,
    tenant: Tenant<'_>,
    query: &str,
    browser: &TokenHash,
) -> Result<RequestId, Refusal> {
    let asked = Parameters::parse(query.as_bytes()).map_err(DeadEnd::Malformed)?;
    let mut conn = portico_storage::acquire(pool).await?;
    let id = asked.get("client_id").ok_or(DeadEnd::NoClient)?;
    let id = id.parse().map_err(|_| DeadEnd::UnknownClient)?;
    let client = client::find(&mut conn, tenant.id, id).await?.ok_or(DeadEnd::UnknownClient)?;
    let redirect = find_redirect(tenant, &client, asked.get("redirect_uri"))?;
    let wish = read_wish(tenant, &asked).map_err(|mistake| {
        let to = refuse(tenant, &redirect, mistake, asked.get("state"));
        Refusal::Answer(Box::new(Answer { to, mistake }))
    })?;
    let request = authorization_request::Asked {
        browser,
        client: client.id,
        redirect_uri: redirect.as_str(),
        state: wish.state,
        scopes: &wish.scopes,
        challenge: wish.challenge.as_str(),
        resource: &tenant.issuer.resource(&wish.address),
        server: wish.address.server,
        pinned_workspace: wish.address.workspace.as_deref(),
        is_read_only: wish.address.is_read_only,
        ttl: REQUEST_TTL,
    };
    Ok(authorization_request::insert(&mut conn, tenant.id, &request).await?)
}

fn find_redirect(
    tenant: Tenant<'_>,
    client: &Client,
    asked: Option<&str>,
) -> Result<Redirect, DeadEnd> {
    let registered = &client.redirect_uris;
    let asked = match (asked, registered.as_slice()) {
        (Some(asked), _) => asked,
        (None, [only]) => only,
        (None, _) => return Err(DeadEnd::NoRedirect),
    };
    Redirect::for_client(asked, registered, &tenant.declaration.redirects).ok_or_else(|| {
        DeadEnd::OtherRedirect { asked: asked.to_owned(), registered: registered.clone() }
    })
}

fn read_wish<'p>(tenant: Tenant<'p>, asked: &'p Parameters) -> Result<Wish<'p>, Mistake> {
    let state = asked.get("state");
    if state.is_some_and(|state| state.len() > LONGEST_STATE) {
        return Err(Mistake::LongState);
    }
    check_kind(asked)?;
    let challenge = read_challenge(asked)?;
    let address = find_address(tenant, asked.get("resource")).ok_or(Mistake::Resource)?;
    let scopes = grantable(tenant, &address, asked.get("scope"));
    match asked.get("prompt") {
        Some("none") => Err(Mistake::Silent),
        Some(_) | None => Ok(Wish { state, challenge, address, scopes }),
    }
}

fn check_kind(asked: &Parameters) -> Result<(), Mistake> {
    if asked.get("request").is_some() {
        return Err(Mistake::RequestObject);
    }
    if asked.get("request_uri").is_some() {
        return Err(Mistake::RequestUri);
    }
    let kind = asked.get("response_type").ok_or(Mistake::NoResponseType)?;
    ResponseType::find(kind).ok_or(Mistake::ResponseType)?;
    match asked.get("response_mode") {
        None | Some("query") => Ok(()),
        Some(_) => Err(Mistake::ResponseMode),
    }
}

fn read_challenge(asked: &Parameters) -> Result<Challenge, Mistake> {
    let challenge = asked.get("code_challenge").and_then(Challenge::parse);
    let challenge = challenge.ok_or(Mistake::Challenge)?;
    // Absent, it means `plain` (RFC 7636 §4.3).
    let method = asked.get("code_challenge_method").and_then(ChallengeMethod::find);
    method.map(|_| challenge).ok_or(Mistake::ChallengeMethod)
}

/// The address that `resource` is, with or without a slash at its end. Where the client names
/// none, as old clients do, the vanity host's own, or the only server.
fn find_address<'t>(tenant: Tenant<'t>, resource: Option<&'t str>) -> Option<Address<'t>> {
    let named = match resource {
        Some(resource) => tenant.issuer.target(resource)?,
        None => match tenant.issuer.address("") {
            Some(root) => root,
            None => Address::of(tenant.declaration.only_server()?.name.as_str()),
        },
    };
    tenant.declaration.server(named.server).map(|_| named)
}

/// What of the wish can be given. A client that asks for nothing we know, or for nothing at all,
/// is offered everything; the person sees what that is.
fn grantable(tenant: Tenant<'_>, address: &Address<'_>, asked: Option<&str>) -> Scopes {
    let offered = tenant.declaration.scopes_at(address);
    let wanted = Scopes::parse(asked.unwrap_or_default()).intersection(&offered);
    if wanted.is_empty() { offered } else { wanted }
}

fn refuse(tenant: Tenant<'_>, redirect: &Redirect, mistake: Mistake, state: Option<&str>) -> Url {
    let description = mistake.to_string();
    let mut pairs =
        vec![("error", mistake.code().as_str()), ("error_description", description.as_str())];
    // One that is too long to keep is too long to send.
    pairs.extend(state.filter(|state| state.len() <= LONGEST_STATE).map(|state| ("state", state)));
    pairs.push(("iss", tenant.issuer.as_str()));
    redirect.answer(&pairs)
}

#[cfg(test)]
mod tests;
