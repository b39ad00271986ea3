//! Who may come in: the token, what stands behind it at this moment, and the server it is for.
//! Refuses to know what a visitor wants.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use portico_discovery as discovery;
use portico_mcp::{CallTool, Code, Rejection};
use portico_model::{SERVERS, TokenHash};
use portico_storage::admit::{self, Admission, Reference};
use portico_tokens as tokens;

use super::refusal::Refusal;
use super::served::Served;
use crate::app::App;
use crate::tenant::Snapshot;

/// The entrance of one server.
#[derive(Clone, Copy)]
pub(super) struct Door<'a> {
    pub(super) app: &'a App,
    pub(super) snapshot: &'a Arc<Snapshot>,
    pub(super) served: &'a Arc<Served>,
    pub(super) address: Address<'a>,
}

/// A server's path below the issuer, as the request has it.
#[derive(Clone, Copy)]
pub(super) struct Address<'a> {
    pub(super) server: &'a str,
    /// Whether the address ends in one; its document's then does, too.
    pub(super) has_slash: bool,
}

/// Someone whose token is good, and the tenant and server as they are at this moment.
pub(super) struct Visitor<'a> {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) served: Arc<Served>,
    pub(super) admission: Admission,
    pub(super) address: Address<'a>,
}

impl<'a> Door<'a> {
    pub(super) fn find(
        app: &'a App,
        snapshot: &'a Arc<Snapshot>,
        address: Address<'a>,
    ) -> Result<Self, Refusal> {
        let served = address.served(snapshot)?;
        Ok(Self { app, snapshot, served, address })
    }

    /// The token's hash, before anything else of the request is looked at. A token in the address
    /// is not looked for: addresses end up in logs.
    pub(super) fn token(self, headers: &HeaderMap) -> Result<TokenHash, Refusal> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let value = values.next();
        if values.next().is_some() {
            let words = "Send one Authorization header";
            let rejection = Rejection::new(StatusCode::BAD_REQUEST, Code::InvalidRequest, words);
            return Err(Refusal::challenged(rejection, r#"Bearer error="invalid_request""#));
        }
        let token = tokens::bearer(value.map(HeaderValue::as_bytes));
        token.map(|it| it.hash()).map_err(|refusal| self.challenge(refusal))
    }

    /// Lets in who may come in, with the workspace of the call that they make. Costs one statement
    /// while no other declaration is in force than the one known here.
    pub(super) async fn enter(
        self,
        token: &TokenHash,
        call: Option<&CallTool<'_>>,
    ) -> Result<Visitor<'a>, Refusal> {
        let Self { app, snapshot, served, address } = self;
        let reference = served.offer.reference(call);
        let mut admission = self.admit(token, reference).await?;
        let version = admission.tenant_version;
        let snapshot = app.tenants.at_least(&app.pool, Arc::clone(snapshot), version).await?;
        // Another version of the declaration may have the server no more, or other tools.
        let served = Arc::clone(address.served(&snapshot)?);
        let newer = served.offer.reference(call);
        if newer != reference {
            admission = self.admit(token, newer).await?;
        }
        Ok(Visitor { snapshot, served, admission, address })
    }

    async fn admit(
        self,
        token: &TokenHash,
        reference: Reference<'_>,
    ) -> Result<Admission, Refusal> {
        let Self { app, snapshot, served, .. } = self;
        let admission = admit::admit(&app.pool, snapshot.id, token, reference).await?;
        let admission = admission.ok_or_else(|| self.challenge(tokens::Refusal::Unknown))?;
        tokens::check(&admission, &served.resource).map_err(|refusal| self.challenge(refusal))?;
        Ok(admission)
    }

    fn challenge(self, refusal: tokens::Refusal) -> Refusal {
        tracing::debug!(%refusal, "a token was refused");
        let Snapshot { issuer, declaration, .. } = &**self.snapshot;
        let path = self.address.path();
        let (words, challenge) = match refusal {
            tokens::Refusal::Missing => (
                "Sign in first: no access token was sent",
                discovery::unauthenticated(issuer, declaration, &path),
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
                discovery::invalid_token(issuer, declaration, &path),
            ),
        };
        let rejection = Rejection::new(StatusCode::UNAUTHORIZED, Code::InvalidRequest, words);
        Refusal::challenged(rejection, &challenge)
    }
}

impl Address<'_> {
    pub(super) fn path(self) -> String {
        let slash = if self.has_slash { "/" } else { "" };
        format!("{SERVERS}{}{slash}", self.server)
    }

    fn served(self, snapshot: &Snapshot) -> Result<&Arc<Served>, Refusal> {
        snapshot.servers.get(self.server).ok_or_else(Refusal::no_server)
    }
}
