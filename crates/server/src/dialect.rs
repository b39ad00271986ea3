//! In which words an address speaks, for the answers that no route gives: nothing there, a fault
//! before routing, a panic.

use std::any::Any;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use portico_mcp::{Code, Rejection};
use portico_pages::Frame;

use crate::error::{Fault, OAuthError, PageError, RpcError};
use crate::pages;
use crate::tenant::{self, Snapshot, Tenant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Rpc,
    OAuth,
    Page,
}

impl Dialect {
    /// By the path, with or without a tenant in front of it.
    pub fn of(path: &str) -> Self {
        let below_tenant = path.strip_prefix("/v/").and_then(|it| it.find('/').map(|at| &it[at..]));
        let path = below_tenant.unwrap_or(path);
        if path.starts_with("/mcp/") {
            Self::Rpc
        } else if path.starts_with("/oauth/") || path.starts_with("/.well-known/") {
            // What people are shown is a page even under this prefix.
            if path == "/oauth/authorize" { Self::Page } else { Self::OAuth }
        } else {
            Self::Page
        }
    }

    pub fn not_found(self, tenant: Option<&Snapshot>) -> Response {
        match self {
            Self::Rpc => RpcError::from(Rejection::new(
                StatusCode::NOT_FOUND,
                Code::InvalidRequest,
                "There is no server at this address",
            ))
            .into_response(),
            Self::OAuth => OAuthError::not_found().into_response(),
            Self::Page => PageError::not_found(frame(tenant)).into_response(),
        }
    }

    pub fn fault(self, error: &tenant::Error) -> Response {
        self.answer(Fault::of_tenant(error))
    }

    fn answer(self, fault: Fault) -> Response {
        match self {
            Self::Rpc => RpcError::from(fault).into_response(),
            Self::OAuth => OAuthError::from(fault).into_response(),
            Self::Page => PageError::of_fault(Frame::NOBODY, fault).into_response(),
        }
    }
}

fn frame(tenant: Option<&Snapshot>) -> Frame<'_> {
    tenant.map_or(Frame::NOBODY, pages::frame)
}

/// `Router::fallback` of a tenant's routes.
pub async fn nothing_here(Tenant(tenant): Tenant, request: Request) -> Response {
    Dialect::of(request.uri().path()).not_found(Some(&tenant))
}

#[derive(Debug, thiserror::Error)]
#[error("a panic: {0}")]
struct Panicked(String);

/// A panic costs its request and nothing else.
pub fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    let words = payload
        .downcast_ref::<&str>()
        .map(|words| (*words).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "of no known kind".to_owned());
    Dialect::OAuth.answer(Fault::unexpected(&Panicked(words)))
}

#[cfg(test)]
mod tests {
    use super::Dialect;

    #[test]
    fn an_address_answers_in_the_words_of_its_callers() {
        for (path, dialect) in [
            ("/mcp/boards", Dialect::Rpc),
            ("/v/acme/mcp/boards", Dialect::Rpc),
            ("/oauth/token", Dialect::OAuth),
            ("/v/acme/oauth/token", Dialect::OAuth),
            ("/oauth/authorize", Dialect::Page),
            ("/.well-known/anything", Dialect::OAuth),
            ("/connections", Dialect::Page),
            ("/v/acme", Dialect::Page),
        ] {
            assert_eq!(Dialect::of(path), dialect, "{path}");
        }
    }
}
