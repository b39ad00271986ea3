//! Who may come in: the token, what stands behind it at this moment, and the server it is for.
//! Refuses to know what a visitor wants.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use portico_bridge::Offer;
use portico_declaration::Server;
use portico_discovery as discovery;
use portico_mcp::{Code, Rejection, ServerInfo};
use portico_model::TokenHash;
use portico_storage::admit::{self, Admission, Reference};
use portico_tokens as tokens;

use super::refusal::Refusal;
use crate::app::App;
use crate::tenant::Snapshot;

/// The entrance of one server.
#[derive(Clone, Copy)]
pub(super) struct Door<'a> {
    pub(super) app: &'a App,
    pub(super) tenant: &'a Arc<Snapshot>,
    pub(super) server: &'a str,
    /// Whether the address ends in one; its document's then does, too.
    pub(super) has_slash: bool,
}

/// Someone whose token is good, and the tenant as it is at this moment.
pub(super) struct Visitor<'a> {
    pub(super) app: &'a App,
    pub(super) tenant: Arc<Snapshot>,
    pub(super) admission: Admission,
    door: Door<'a>,
}

impl<'a> Door<'a> {
    pub(super) fn offer(self) -> Result<&'a Offer, Refusal> {
        self.tenant.offers.get(self.server).ok_or_else(Refusal::no_server)
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

    /// Lets in who may come in. Costs one statement.
    pub(super) async fn enter(
        self,
        token: &TokenHash,
        reference: Reference<'_>,
    ) -> Result<Visitor<'a>, Refusal> {
        let Self { app, tenant, .. } = self;
        let admission = admit::admit(&app.pool, tenant.id, token, reference).await?;
        let admission = admission.ok_or_else(|| self.challenge(tokens::Refusal::Unknown))?;
        tokens::check(&admission, &tenant.issuer.resource(self.server))
            .map_err(|refusal| self.challenge(refusal))?;
        let version = admission.tenant_version;
        let tenant = app.tenants.at_least(&app.pool, Arc::clone(tenant), version).await?;
        Ok(Visitor { app, tenant, admission, door: self })
    }

    fn challenge(self, refusal: tokens::Refusal) -> Refusal {
        tracing::debug!(%refusal, "a token was refused");
        let Snapshot { issuer, declaration, .. } = &**self.tenant;
        let (words, challenge) = match refusal {
            tokens::Refusal::Missing => (
                "Sign in first: no access token was sent",
                discovery::unauthenticated(issuer, declaration, &self.path()),
            ),
            tokens::Refusal::Malformed
            | tokens::Refusal::Unknown
            | tokens::Refusal::TenantSuspended
            | tokens::Refusal::Expired
            | tokens::Refusal::ConnectionEnded
            | tokens::Refusal::PersonDisabled
            | tokens::Refusal::OtherResource => (
                "Sign in again: the access token is not valid here",
                discovery::invalid_token(issuer, declaration, &self.path()),
            ),
        };
        let rejection = Rejection::new(StatusCode::UNAUTHORIZED, Code::InvalidRequest, words);
        Refusal::challenged(rejection, &challenge)
    }

    /// The server's path below the issuer, as the request had it.
    fn path(self) -> String {
        let slash = if self.has_slash { "/" } else { "" };
        format!("/mcp/{}{slash}", self.server)
    }
}

impl Visitor<'_> {
    /// What is offered now; another version of the declaration may have it no more.
    pub(super) fn offer(&self) -> Result<&Offer, Refusal> {
        self.tenant.offers.get(self.door.server).ok_or_else(Refusal::no_server)
    }

    pub(super) fn server(&self) -> Result<&Server, Refusal> {
        self.tenant.declaration.server(self.door.server).ok_or_else(Refusal::no_server)
    }

    pub(super) fn path(&self) -> String {
        self.door.path()
    }
}

/// What the server says it is.
pub(super) fn info(server: &Server) -> ServerInfo {
    ServerInfo {
        name: server.name.clone(),
        title: Some(server.title.clone()),
        version: Cow::Borrowed(env!("CARGO_PKG_VERSION")),
    }
}
