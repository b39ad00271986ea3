//! The person's answer to an authorization request: found, approved or denied, once, in the
//! browser that began it. The person may give less than was asked for, and never more.

use std::borrow::Cow;
use std::time::Duration;

use portico_declaration::Lifetime;
use portico_model::{
    Address, ClientId, Kind, PersonId, PlainToken, RequestId, Scope, Scopes, TokenHash, WorkspaceId,
};
use portico_storage::authorization_code::{self, Issued};
use portico_storage::authorization_request::{self, Request};
use portico_storage::connection::{self, Making};
use portico_storage::membership::{self, Workspace};
use portico_storage::{Conn, Pool};
use url::Url;

use crate::redirect::Redirect;
use crate::{ErrorCode, Tenant};

/// People carry callback addresses from one machine to another by hand.
const CODE_TTL: Duration = Duration::from_mins(10);
/// The longest that a connection lives whose tokens expire.
const LONGEST: Duration = Duration::from_hours(180 * 24);

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
    /// The most that it may be given.
    pub scopes: Scopes,
    /// The name of the server that it wants.
    pub server: String,
    pub resource: String,
    /// The workspace that the address is for, by id or alias.
    pub pinned: Option<String>,
    /// Whether the address itself only reads.
    pub is_read_only: bool,
    /// The longest that the connection lives; `None`: until it is ended.
    pub ttl: Option<Duration>,
    state: Option<String>,
    challenge: String,
}

/// What the person gives, within what was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Agreement<'a> {
    pub person: PersonId,
    pub only_reads: bool,
    /// `None`: every one of theirs, also later ones.
    pub workspaces: Option<&'a [WorkspaceId]>,
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
    /// Whether there is such a workspace is not said.
    #[error("the address is for a workspace that the person is no member of")]
    Outsider,
    #[error("what was chosen is not, or no more, the person's to give")]
    Choice,
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
    let server = declaration.server(&found.server).ok_or(Refusal::ServerGone)?;
    let address = Address {
        server: &found.server,
        workspace: found.pinned_workspace.as_deref().map(Cow::from),
        is_read_only: found.is_read_only,
    };
    if tenant.issuer.target(&found.resource) != Some(address) {
        return Err(Refusal::ServerGone);
    }
    Ok(Pending {
        request: found.id,
        client: found.client,
        client_name: found.client_name,
        redirect,
        scopes: found.scopes.intersection(&declaration.scope_set()),
        ttl: match server.access_token {
            Lifetime::Expires(_) => Some(LONGEST),
            Lifetime::UntilRevoked => None,
        },
        server: found.server,
        resource: found.resource,
        pinned: found.pinned_workspace,
        is_read_only: found.is_read_only,
        state: found.state,
        challenge: found.challenge,
    })
}

/// Makes a connection of the person and a code for it, and says where the browser goes.
pub async fn approve(
    pool: &Pool,
    tenant: Tenant<'_>,
    claim: Claim,
    agreed: Agreement<'_>,
    random: [u8; 32],
) -> Result<Url, Refusal> {
    let mut tx = portico_storage::begin(pool).await?;
    let pending = take(&mut tx, tenant, claim).await?;
    let pinned = find_pinned(&mut tx, tenant, &pending, agreed.person).await?;
    // A pinned address leaves nothing to choose.
    let workspaces = agreed.workspaces.filter(|_| pinned.is_none());
    if workspaces.is_some_and(<[_]>::is_empty) {
        return Err(Refusal::Choice);
    }
    let consent = connection::Consent {
        person: agreed.person,
        client: pending.client,
        resource: &pending.resource,
        server: &pending.server,
        host: tenant.host,
        version: tenant.version,
        redirect_uri: pending.redirect.as_str(),
        scopes: &pending.given(agreed.only_reads),
        pinned,
        is_read_only: pending.is_read_only,
        workspaces,
        ttl: pending.ttl,
    };
    let connection = match connection::insert(&mut tx, tenant.id, &consent).await? {
        Making::Made(connection) => connection,
        Making::Withdrawn => return Err(Refusal::ServerGone),
        Making::Refused if pinned.is_none() && workspaces.is_none() => {
            return Err(Refusal::PersonDisabled);
        }
        Making::Refused => return Err(Refusal::Choice),
    };
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

async fn find_pinned(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    pending: &Pending,
    person: PersonId,
) -> Result<Option<WorkspaceId>, Refusal> {
    let Some(text) = &pending.pinned else {
        return Ok(None);
    };
    let roster = membership::roster(conn, tenant.id, person).await?;
    named(text, &roster).map(|workspace| Some(workspace.id)).ok_or(Refusal::Outsider)
}

/// The workspace of a person's own that an address means: by its id, else by one of its aliases.
pub fn named<'r>(text: &str, roster: &'r [Workspace]) -> Option<&'r Workspace> {
    if let Ok(id) = text.parse() {
        return roster.iter().find(|it| it.id == id);
    }
    let text = text.to_lowercase();
    roster.iter().find(|it| it.aliases.iter().any(|alias| alias.to_lowercase() == text))
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
    /// Whether reading alone is less than what it asks for.
    pub fn has_levels(&self) -> bool {
        self.scopes.contains(Scope::Read) && self.scopes.iter().count() > 1
    }

    fn given(&self, only_reads: bool) -> Scopes {
        if only_reads && self.has_levels() {
            return Scopes::from_iter([Scope::Read]);
        }
        self.scopes.clone()
    }

    fn answer(&self, tenant: Tenant<'_>, answer: &[(&str, &str)]) -> Url {
        let mut pairs = answer.to_vec();
        pairs.extend(self.state.as_deref().map(|state| ("state", state)));
        pairs.push(("iss", tenant.issuer.as_str()));
        self.redirect.answer(&pairs)
    }
}
