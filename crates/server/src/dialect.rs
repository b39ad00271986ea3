//! In which words an address speaks, for the answers that no route gives: nothing there, a fault
//! before routing, a panic.

use std::borrow::Cow;

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use portico_mcp::{Code, Rejection};
use portico_model::{Address, SERVERS, WELL_KNOWN};
use portico_oauth::ErrorCode;
use portico_pages::Frame;
use portico_vanity as vanity;
use tokio::task::JoinError;

use crate::error::{Fault, OAuthError, PageError, RpcError};
use crate::pages;
use crate::tenant::{self, Snapshot, Tenant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Rpc,
    OAuth,
    Page,
}

impl Dialect {
    /// By the path, with or without a tenant in front of it, and by what is asked: the root of a
    /// vanity host is where a server's clients post to, and where a browser gets a page.
    pub(crate) fn of(request: &Request) -> Self {
        match (Self::of_path(request.uri().path()), request.method()) {
            (Self::Page, &Method::POST) if request.uri().path() == "/" => Self::Rpc,
            (dialect, _) => dialect,
        }
    }

    fn of_path(path: &str) -> Self {
        let path = &*self::path(path);
        // What a server's address is narrowed to, at a vanity host.
        let is_narrowed = Address::below("any", path).is_some() && path.len() > 1;
        if path.starts_with(SERVERS) || is_narrowed {
            Self::Rpc
        } else if path.starts_with("/oauth/") || path.starts_with(WELL_KNOWN) {
            // What people are shown is a page even under this prefix.
            if path == portico_discovery::path::AUTHORIZE { Self::Page } else { Self::OAuth }
        } else {
            Self::Page
        }
    }

    pub(crate) fn not_found(self, tenant: Option<&Snapshot>) -> Response {
        match self {
            Self::Rpc => RpcError::no_server().into_response(),
            Self::OAuth => OAuthError::not_found().into_response(),
            Self::Page => PageError::not_found(frame(tenant)).into_response(),
        }
    }

    pub(crate) fn fault(self, error: &tenant::Error) -> Response {
        self.answer(Fault::of_tenant(error))
    }

    /// For a request that panicked, with the words that it left for the log.
    pub(crate) fn broken(self, ended: &JoinError) -> Response {
        self.answer(Fault::unexpected(ended))
    }

    pub(crate) fn suspended(self, tenant: &Snapshot) -> Response {
        match self {
            Self::Rpc => RpcError::suspended().into_response(),
            Self::OAuth => OAuthError::suspended().into_response(),
            Self::Page => pages::suspended(tenant).into_response(),
        }
    }

    /// For a request that is answered before anybody knows whose it is.
    pub(crate) fn refuse(self, status: StatusCode, words: &'static str) -> Response {
        self.refusal(status, ErrorCode::InvalidRequest, words)
    }

    /// For a Host that nobody is at.
    pub(crate) fn misdirected(self) -> Response {
        self.refuse(StatusCode::MISDIRECTED_REQUEST, "no such host is served here")
    }

    /// For an address that asks too often, with the whole seconds that it must still wait.
    pub(crate) fn flooded(self, seconds: u64) -> Response {
        let words = "too many requests came from this address; wait a moment";
        let code = ErrorCode::TemporarilyUnavailable;
        let mut response = self.refusal(StatusCode::TOO_MANY_REQUESTS, code, words);
        // What is left of a second counts as one.
        let wait = HeaderValue::from(seconds.saturating_add(1));
        response.headers_mut().insert(header::RETRY_AFTER, wait);
        response
    }

    fn refusal(self, status: StatusCode, code: ErrorCode, words: &str) -> Response {
        match self {
            Self::Rpc => {
                let rejection = Rejection::new(status, Code::InvalidRequest, sentence(words));
                RpcError::from(rejection).into_response()
            }
            Self::OAuth => OAuthError::new(status, code.as_str(), words).into_response(),
            Self::Page => {
                PageError::refused(status, &format!("{}.", sentence(words))).into_response()
            }
        }
    }

    /// For a request that waited for a database that went away.
    pub(crate) fn away(self) -> Response {
        self.answer(Fault::away())
    }

    fn answer(self, fault: Fault) -> Response {
        match self {
            Self::Rpc => RpcError::from(fault).into_response(),
            Self::OAuth => OAuthError::from(fault).into_response(),
            Self::Page => PageError::of_fault(Frame::NOBODY, &fault).into_response(),
        }
    }
}

/// Errors of OAuth begin small, what people and models read does not.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

/// The path as the routes know it, whoever the tenant is.
pub(crate) fn path(path: &str) -> Cow<'_, str> {
    vanity::below_tenant(path).map_or(Cow::Borrowed(path), |(_, below)| below)
}

fn frame(tenant: Option<&Snapshot>) -> Frame<'_> {
    tenant.map_or(Frame::NOBODY, pages::frame)
}

/// `Router::fallback` of a tenant's routes.
pub(crate) async fn nothing_here(Tenant(tenant): Tenant, request: Request) -> Response {
    Dialect::of(&request).not_found(Some(&tenant))
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::Dialect;
    use crate::task;

    /// Status, type, and the words without what is different each time.
    async fn told(dialect: Dialect) -> String {
        let ended = task::start::<()>(async { panic!("a mistake of ours") }).await.unwrap_err();
        let (head, body) = dialect.broken(&ended).into_parts();
        let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        let title = body.split_once("<title>").map(|(_, rest)| rest.split_once('<').unwrap().0);
        let words = title.unwrap_or_else(|| body.split_once("; reference ").unwrap().0);
        format!(
            "{} {} {words}",
            head.status.as_u16(),
            head.headers["content-type"].to_str().unwrap()
        )
    }

    // sec:N10
    #[tokio::test]
    async fn a_panic_is_told_in_the_words_of_the_address() {
        insta::assert_snapshot!(told(Dialect::Rpc).await, @r#"500 application/json {"jsonrpc":"2.0","error":{"code":-32603,"message":"Something went wrong in the gateway"#);
        insta::assert_snapshot!(told(Dialect::OAuth).await, @r#"500 application/json {"error":"server_error","error_description":"something went wrong here"#);
        insta::assert_snapshot!(told(Dialect::Page).await, @"500 text/html; charset=utf-8 Something went wrong · Portico");
    }

    #[test]
    fn an_address_answers_in_the_words_of_its_callers() {
        for (path, dialect) in [
            ("/mcp/boards", Dialect::Rpc),
            ("/v/acme/mcp/boards", Dialect::Rpc),
            ("/oauth/token", Dialect::OAuth),
            ("/v/acme/oauth/token", Dialect::OAuth),
            ("/oauth/authorize", Dialect::Page),
            ("/.well-known/anything", Dialect::OAuth),
            ("/", Dialect::Page),
            ("/w/docs", Dialect::Rpc),
            ("/readonly", Dialect::Rpc),
            ("/connections", Dialect::Page),
            ("/v/acme", Dialect::Page),
        ] {
            assert_eq!(Dialect::of_path(path), dialect, "{path}");
        }
    }
}
