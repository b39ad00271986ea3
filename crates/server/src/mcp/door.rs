//! Who may come in: the token, what stands behind it at this moment, and the server it is for.
//! Refuses to know what a visitor wants.

use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use portico_bridge::Offer;
use portico_discovery as discovery;
use portico_mcp::{CallTool, Code, Rejection};
use portico_model::Address;
use portico_storage::admit::{self, Admission, Reference};
use portico_tokens::{self as tokens, Bearer};

use super::refusal::Refusal;
use super::served::Served;
use crate::app::App;
use crate::tenant::Snapshot;

/// Which address a request came to.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    pub(super) address: &'a Address<'a>,
    /// Below the issuer, as it was called: with a slash at its end, its document has one, too.
    pub(super) path: &'a str,
}

impl Called<'_> {
    /// The workspace that the address is for, by id or alias.
    pub(super) fn pin(&self) -> Option<&str> {
        self.address.workspace.as_deref()
    }
}

/// The entrance of one server.
#[derive(Clone, Copy)]
pub(super) struct Door<'a> {
    pub(super) app: &'a App,
    pub(super) snapshot: &'a Arc<Snapshot>,
    pub(super) served: &'a Arc<Served>,
    pub(super) called: Called<'a>,
}

/// Someone whose token is good, and the tenant and server as they are at this moment.
pub(super) struct Visitor<'a> {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) served: Arc<Served>,
    pub(super) admission: Admission,
    pub(super) called: Called<'a>,
}

impl<'a> Door<'a> {
    pub(super) fn find(
        app: &'a App,
        snapshot: &'a Arc<Snapshot>,
        called: Called<'a>,
    ) -> Result<Self, Refusal> {
        let served = find(snapshot, called)?;
        Ok(Self { app, snapshot, served, called })
    }

    /// The token, before anything else of the request is looked at. One in the address counts for
    /// nothing, since addresses end up in logs, and is one too many beside another.
    ///
    /// A token that somebody else minted costs a look at the tenant, unless it begins as the tenant
    /// is known to allow: an instance that is behind would have a client throw away what was
    /// imported meanwhile. Whoever makes us look in vain counts as refused.
    pub(super) async fn token(self, head: &Parts) -> Result<Bearer<'_>, Refusal> {
        let Self { app, snapshot, called, .. } = self;
        let mut values = head.headers.get_all(header::AUTHORIZATION).iter();
        let value = values.next();
        if values.next().is_some() || (value.is_some() && has_token(&head.uri)) {
            let words = "Send one Authorization header, and no token beside it";
            let rejection = Rejection::new(StatusCode::BAD_REQUEST, Code::InvalidRequest, words);
            return Err(Refusal::challenged(rejection, r#"Bearer error="invalid_request""#));
        }
        let token = Bearer::parse(value.map(HeaderValue::as_bytes));
        let token = token.map_err(|refusal| self.challenge(refusal))?;
        if !is_known(snapshot, &token) {
            let now = app.tenants.again(&app.pool, snapshot).await?;
            let now = now.ok_or_else(Refusal::misdirected)?;
            if !is_known(&now, &token) {
                let door = Door::find(app, &now, called)?;
                return Err(door.challenge(tokens::Refusal::Malformed));
            }
        }
        Ok(token)
    }

    /// Lets in who may come in, with the workspace of the call that they make. Costs one statement
    /// while no other declaration is in force than the one known here.
    pub(super) async fn enter(
        self,
        token: &Bearer<'_>,
        call: Option<&CallTool<'_>>,
    ) -> Result<Visitor<'a>, Refusal> {
        let Self { app, snapshot, called, .. } = self;
        let refused = match self.enter_as_known(token, call).await {
            Err(refused @ Refusal::Challenged(..)) if snapshot.host.is_some() => refused,
            entered => return entered,
        };
        // The host may be another tenant's by now, or nobody's.
        let now = app.tenants.again(&app.pool, snapshot).await?;
        let now = now.ok_or_else(Refusal::misdirected)?;
        if now.id == snapshot.id && now.version == snapshot.version {
            return Err(refused);
        }
        let Visitor { snapshot, served, admission, .. } =
            Door::find(app, &now, called)?.enter_as_known(token, call).await?;
        Ok(Visitor { snapshot, served, admission, called })
    }

    async fn enter_as_known(
        self,
        token: &Bearer<'_>,
        call: Option<&CallTool<'_>>,
    ) -> Result<Visitor<'a>, Refusal> {
        let Self { app, snapshot, served, called } = self;
        let pin = called.pin();
        let reference = offer(served, called).reference(call, pin);
        let mut admission = self.admit(token, reference).await?;
        let version = admission.tenant_version;
        let snapshot = app.tenants.at_least(&app.pool, Arc::clone(snapshot), version).await?;
        let snapshot = snapshot.ok_or_else(Refusal::misdirected)?;
        // Another version of the declaration may have the server no more, or other tools.
        let served = Arc::clone(find(&snapshot, called)?);
        // Or know the earlier system's tokens no more.
        if !is_known(&snapshot, token) {
            return Err(self.challenge(tokens::Refusal::Malformed));
        }
        let newer = offer(&served, called).reference(call, pin);
        if newer != reference {
            admission = self.admit(token, newer).await?;
        }
        Ok(Visitor { snapshot, served, admission, called })
    }

    async fn admit(
        self,
        token: &Bearer<'_>,
        reference: Reference<'_>,
    ) -> Result<Admission, Refusal> {
        let Self { app, snapshot, called, .. } = self;
        let admission = admit::admit(&app.pool, snapshot.id, token.hash(), reference).await?;
        let admission = admission.ok_or_else(|| self.challenge(tokens::Refusal::Unknown))?;
        let resource = snapshot.issuer.resource(called.address);
        tokens::check(&admission, &resource).map_err(|refusal| self.challenge(refusal))?;
        Ok(admission)
    }

    fn challenge(self, refusal: tokens::Refusal) -> Refusal {
        tracing::debug!(%refusal, "a token was refused");
        let Snapshot { issuer, declaration, .. } = &**self.snapshot;
        let path = self.called.path;
        let (words, challenge) = match refusal {
            tokens::Refusal::Missing => (
                "Sign in first: no access token was sent",
                discovery::unauthenticated(issuer, declaration, path),
            ),
            // A challenge would send the person to a sign-in that cannot help.
            tokens::Refusal::TenantSuspended => return Refusal::suspended(),
            tokens::Refusal::Malformed
            | tokens::Refusal::Unknown
            | tokens::Refusal::Expired
            | tokens::Refusal::ConnectionEnded
            | tokens::Refusal::PersonDisabled
            | tokens::Refusal::OtherResource => (
                "Sign in again: the access token is not valid here",
                discovery::invalid_token(issuer, declaration, path),
            ),
        };
        let rejection = Rejection::new(StatusCode::UNAUTHORIZED, Code::InvalidRequest, words);
        Refusal::challenged(rejection, &challenge)
    }
}

fn has_token(uri: &Uri) -> bool {
    let mut fields = uri.query().unwrap_or_default().split('&');
    fields.any(|field| field.split('=').next() == Some("access_token"))
}

fn find<'s>(snapshot: &'s Snapshot, called: Called<'_>) -> Result<&'s Arc<Served>, Refusal> {
    snapshot.server(called.address.server).ok_or_else(Refusal::no_server)
}

fn is_known(snapshot: &Snapshot, token: &Bearer<'_>) -> bool {
    token.is_known(&snapshot.declaration.legacy_token_prefixes)
}

fn offer<'s>(served: &'s Served, called: Called<'_>) -> &'s Offer {
    served.offer.narrowed(called.address.is_read_only)
}

impl Visitor<'_> {
    /// What there is at the address.
    pub(super) fn offer(&self) -> &Offer {
        offer(&self.served, self.called)
    }
}
