//! The person's answer to an authorization request: found, approved or denied, once, in the
//! browser that began it.

use std::time::Duration;

use portico_model::{ClientId, Kind, PersonId, PlainToken, RequestId, Scopes, TokenHash};
use portico_storage::authorization_code::{self, Issued};
use portico_storage::authorization_request::{self, Request};
use portico_storage::{Conn, Pool, connection};
use url::Url;

use crate::redirect::Redirect;
use crate::{ErrorCode, Tenant};

/// People carry callback addresses from one machine to another by hand.
const CODE_TTL: Duration = Duration::from_mins(10);

/// A request, and the browser that says it is its own.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub request: RequestId,
    pub browser: TokenHash,
}

/// A request that may be answered.
#[derive(Debug)]
pub struct Pending {
    pub request: RequestId,
    pub client: ClientId,
    /// As the client calls itself, which proves nothing.
    pub client_name: Option<String>,
    pub redirect: Redirect,
    pub scopes: Scopes,
    /// The name of the server that it wants.
    pub server: String,
    pub resource: String,
    state: Option<String>,
    challenge: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("there is no such request")]
    Unknown,
    #[error("the request was begun in another browser")]
    OtherBrowser,
    #[error("the request waited too long")]
    Expired,
    #[error("the request has been answered")]
    Decided,
    #[error("the client's address is no longer accepted")]
    RedirectGone,
    #[error("the server is no longer offered")]
    ServerGone,
    #[error("the person is disabled")]
    PersonDisabled,
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

/// Finds a request that this browser may still answer.
pub async fn find(conn: &mut Conn, tenant: Tenant<'_>, claim: Claim) -> Result<Pending, Refusal> {
    let found = authorization_request::find(conn, tenant.id, claim.request).await?;
    let found = found.ok_or(Refusal::Unknown)?;
    if found.browser_hash != claim.browser.as_bytes() {
        return Err(Refusal::OtherBrowser);
    }
    if found.decided {
        return Err(Refusal::Decided);
    }
    if found.expired {
        return Err(Refusal::Expired);
    }
    still_offered(tenant, found)
}

/// What was valid when it was asked is checked against what the tenant declares now.
fn still_offered(tenant: Tenant<'_>, found: Request) -> Result<Pending, Refusal> {
    let declaration = tenant.declaration;
    let redirect =
        Redirect::for_client(&found.redirect_uri, &found.registered_uris, &declaration.redirects)
            .ok_or(Refusal::RedirectGone)?;
    let is_served = declaration.server(&found.server).is_some()
        && tenant.issuer.resource(&found.server) == found.resource;
    if !is_served {
        return Err(Refusal::ServerGone);
    }
    Ok(Pending {
        request: found.id,
        client: found.client,
        client_name: found.client_name,
        redirect,
        scopes: found.scopes.intersection(&declaration.scope_set()),
        server: found.server,
        resource: found.resource,
        state: found.state,
        challenge: found.challenge,
    })
}

/// Makes a connection of the person and a code for it, and says where the browser goes.
pub async fn approve(
    pool: &Pool,
    tenant: Tenant<'_>,
    claim: Claim,
    person: PersonId,
    random: [u8; 32],
) -> Result<Url, Refusal> {
    let mut tx = portico_storage::begin(pool).await?;
    let pending = take(&mut tx, tenant, claim).await?;
    let consent = connection::Consent {
        person,
        client: pending.client,
        resource: &pending.resource,
        server: &pending.server,
        redirect_uri: pending.redirect.as_str(),
        scopes: &pending.scopes,
        pinned: None,
        is_read_only: false,
        workspaces: None,
        ttl: None,
    };
    let connection = connection::insert(&mut tx, tenant.id, &consent).await?;
    let connection = connection.ok_or(Refusal::PersonDisabled)?;
    let code = PlainToken::mint(Kind::Code, random);
    let issued = Issued {
        connection,
        redirect_uri: pending.redirect.as_str(),
        challenge: &pending.challenge,
        ttl: CODE_TTL,
    };
    authorization_code::insert(&mut tx, tenant.id, &code.hash(), &issued).await?;
    portico_storage::commit(tx).await?;
    Ok(pending.answer(tenant, &[("code", code.expose())]))
}

/// Tells the client that the person said no.
pub async fn deny(pool: &Pool, tenant: Tenant<'_>, claim: Claim) -> Result<Url, Refusal> {
    let mut tx = portico_storage::begin(pool).await?;
    let pending = take(&mut tx, tenant, claim).await?;
    portico_storage::commit(tx).await?;
    let denied =
        [("error", ErrorCode::AccessDenied.as_str()), ("error_description", "the person said no")];
    Ok(pending.answer(tenant, &denied))
}

/// The look comes first for the sake of its reasons; the conditional update decides.
async fn take(conn: &mut Conn, tenant: Tenant<'_>, claim: Claim) -> Result<Pending, Refusal> {
    let pending = find(conn, tenant, claim).await?;
    if authorization_request::decide(conn, tenant.id, claim.request, &claim.browser).await? {
        Ok(pending)
    } else {
        Err(Refusal::Decided)
    }
}

impl Pending {
    fn answer(&self, tenant: Tenant<'_>, answer: &[(&str, &str)]) -> Url {
        let mut pairs = answer.to_vec();
        pairs.extend(self.state.as_deref().map(|state| ("state", state)));
        pairs.push(("iss", tenant.issuer.as_str()));
        self.redirect.answer(&pairs)
    }
}
