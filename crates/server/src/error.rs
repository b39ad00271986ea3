//! Failures as answers, one type per wire format. The only place that logs a failure: ours once,
//! with everything behind it and an id that the answer carries too.

use std::error::Error;
use std::fmt;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use portico_mcp::{Code, Id, Rejection};
use portico_model::CallId;
use portico_oauth::ErrorCode;
use portico_pages::{Frame, Problem};
use portico_storage as storage;
use serde::Serialize;
use uuid::Uuid;

use crate::tenant;

/// Seconds after which a caller is told to come back when the database is away.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

/// And a client that asks too often.
const RETRY_AFTER_STORM: HeaderValue = HeaderValue::from_static("60");

/// In every dialect.
const SUSPENDED: &str = "This service is suspended at the moment";

/// Prints an error and everything behind it: `a: b: c`.
struct Chain<'e>(&'e dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// A failure of ours, already logged.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// 503 while something that we need is away, else 500.
    pub status: StatusCode,
    /// Leads from what the caller sees to the line in the log.
    pub reference: String,
}

impl Fault {
    pub(crate) fn of_storage(error: &storage::Error) -> Self {
        if error.is_known() { Self::away() } else { Self::log(error, error.is_outage()) }
    }

    pub(crate) fn of_tenant(error: &tenant::Error) -> Self {
        match error {
            tenant::Error::Storage(error) => Self::of_storage(error),
            tenant::Error::Declaration(_)
            | tenant::Error::Offer(_)
            | tenant::Error::Other { .. }
            | tenant::Error::ClosedTables => Self::log(error, error.is_outage()),
        }
    }

    /// A tool that failed inside. Its caller was told the id of the call and nothing else.
    pub(crate) fn of_call(call: CallId, error: &storage::Error) {
        tracing::error!(%call, error = %Chain(error), "a tool failed");
    }

    /// For a request that found the database away, or waited for it in vain. The heartbeat has said
    /// once what all of them would say again.
    pub(crate) fn away() -> Self {
        let reference = Uuid::new_v4().to_string();
        tracing::debug!(reference, "the database is away");
        Self { status: StatusCode::SERVICE_UNAVAILABLE, reference }
    }

    /// For an error that no outage explains.
    pub(crate) fn unexpected(error: &(dyn Error + 'static)) -> Self {
        Self::log(error, false)
    }

    fn log(error: &dyn Error, outage: bool) -> Self {
        let reference = Uuid::new_v4().to_string();
        let status = if outage {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        };
        let status_code = status.as_u16();
        tracing::error!(reference, status_code, error = %Chain(error), "a request failed");
        Self { status, reference }
    }

    /// The record takes no other call now, here; it will, here or in another instance.
    pub(crate) fn overload(why: &portico_bridge::Overloaded) -> Self {
        Self::log(why, true)
    }

    fn retry_after(&self) -> Option<HeaderValue> {
        (self.status == StatusCode::SERVICE_UNAVAILABLE).then_some(RETRY_AFTER)
    }
}

/// When to come back, if that is known.
fn waiting(
    retry_after: Option<HeaderValue>,
) -> Option<AppendHeaders<[(HeaderName, HeaderValue); 1]>> {
    retry_after.map(|wait| AppendHeaders([(header::RETRY_AFTER, wait)]))
}

/// An answer of the authorization server that is not a success (RFC 6749 §5.2).
#[derive(Debug)]
pub(crate) struct OAuthError {
    pub status: StatusCode,
    pub code: &'static str,
    pub description: String,
    retry_after: Option<HeaderValue>,
}

#[derive(Serialize)]
struct OAuthBody<'e> {
    error: &'static str,
    error_description: &'e str,
}

impl OAuthError {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        description: impl Into<String>,
    ) -> Self {
        Self { status, code, description: description.into(), retry_after: None }
    }

    pub(crate) fn of_code(code: ErrorCode, description: impl Into<String>) -> Self {
        let retry_after = (code == ErrorCode::TooMany).then_some(RETRY_AFTER_STORM);
        Self { retry_after, ..Self::new(code.status(), code.as_str(), description) }
    }

    /// A refusal in the client's words, or the failure of ours that stands in its place.
    pub(crate) fn of_refusal(
        code: Result<ErrorCode, &storage::Error>,
        refusal: &(dyn Error + 'static),
    ) -> Self {
        match code {
            Ok(code) => {
                tracing::debug!(code = code.as_str(), error = %Chain(refusal), "a client is refused");
                Self::of_code(code, refusal.to_string())
            }
            Err(error) => Fault::of_storage(error).into(),
        }
    }

    /// `method` is the one that the address has.
    pub(crate) fn other_method(method: &str) -> Self {
        let code = ErrorCode::InvalidRequest.as_str();
        Self::new(StatusCode::METHOD_NOT_ALLOWED, code, format!("the method must be {method}"))
    }

    /// Not a verdict about anybody's credentials either.
    pub(crate) fn suspended() -> Self {
        Self::of_code(ErrorCode::AccessDenied, SUSPENDED)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
    }
}

impl From<Fault> for OAuthError {
    fn from(fault: Fault) -> Self {
        let (code, description) = if fault.status == StatusCode::SERVICE_UNAVAILABLE {
            (ErrorCode::TemporarilyUnavailable, "come back in a few seconds".to_owned())
        } else {
            let reference = &fault.reference;
            (ErrorCode::ServerError, format!("something went wrong here; reference {reference}"))
        };
        Self { retry_after: fault.retry_after(), ..Self::of_code(code, description) }
    }
}

impl From<storage::Error> for OAuthError {
    fn from(error: storage::Error) -> Self {
        Fault::of_storage(&error).into()
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = OAuthBody { error: self.code, error_description: &self.description };
        (self.status, waiting(self.retry_after), [(header::CACHE_CONTROL, "no-store")], json(&body))
            .into_response()
    }
}

/// A JSON-RPC answer that is not a result.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub rejection: Rejection,
    retry_after: Option<HeaderValue>,
}

impl RpcError {
    pub(crate) fn no_server() -> Self {
        Self::refused(StatusCode::NOT_FOUND, "There is no server at this address")
    }

    /// Not a verdict about anybody's credentials, which are good again when the tenant is.
    pub(crate) fn suspended() -> Self {
        Self::refused(StatusCode::FORBIDDEN, SUSPENDED)
    }

    /// To a host that is nobody's. Its name is not repeated: it is a stranger's word.
    pub(crate) fn misdirected() -> Self {
        Self::refused(StatusCode::MISDIRECTED_REQUEST, "No such host is served here")
    }

    pub(crate) fn other_method() -> Self {
        Self::refused(StatusCode::METHOD_NOT_ALLOWED, "Send messages by POST")
    }

    pub(crate) fn refused(status: StatusCode, words: &'static str) -> Self {
        Rejection::new(status, Code::InvalidRequest, words).into()
    }

    /// Good again after so many seconds.
    pub(crate) fn delayed(rejection: Rejection, wait: u32) -> Self {
        Self { rejection, retry_after: Some(wait.into()) }
    }

    /// The same, to the request of that id.
    pub(crate) fn answering(self, id: &Id) -> Self {
        Self { rejection: self.rejection.answering(id), ..self }
    }
}

impl From<Rejection> for RpcError {
    fn from(rejection: Rejection) -> Self {
        Self { rejection, retry_after: None }
    }
}

impl From<Fault> for RpcError {
    fn from(fault: Fault) -> Self {
        let message = if fault.status == StatusCode::SERVICE_UNAVAILABLE {
            "The gateway cannot answer at the moment; try again in a few seconds".to_owned()
        } else {
            format!("Something went wrong in the gateway; reference {}", fault.reference)
        };
        let rejection = Rejection::new(fault.status, Code::InternalError, message);
        Self { rejection, retry_after: fault.retry_after() }
    }
}

impl From<storage::Error> for RpcError {
    fn from(error: storage::Error) -> Self {
        Fault::of_storage(&error).into()
    }
}

impl IntoResponse for RpcError {
    fn into_response(self) -> Response {
        (
            self.rejection.status(),
            waiting(self.retry_after),
            [(header::CONTENT_TYPE, "application/json")],
            self.rejection.body(),
        )
            .into_response()
    }
}

/// The one page for what did not go as wished.
#[derive(Debug)]
pub(crate) struct PageError {
    pub status: StatusCode,
    /// The page, ready made: it carries the tenant's brand, which an error does not know.
    html: String,
    retry_after: Option<HeaderValue>,
}

impl PageError {
    pub(crate) fn new(status: StatusCode, problem: &Problem<'_>) -> Self {
        Self { status, html: portico_pages::render(problem), retry_after: None }
    }

    pub(crate) fn not_found(frame: Frame<'_>) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            &Problem {
                frame,
                title: "This page does not exist",
                happened: "There is nothing at this address.",
                next: "Check the address, or go to your connections.",
                reference: None,
            },
        )
    }

    /// A request of no browser, or far too many of one.
    pub(crate) fn refused(status: StatusCode, words: &str) -> Self {
        let next = if status == StatusCode::MISDIRECTED_REQUEST {
            "Check the address that you were given, or ask who gave it to you."
        } else {
            "Try again in a minute, from the page where you began."
        };
        Self::new(
            status,
            &Problem {
                frame: Frame::NOBODY,
                title: "This cannot be answered",
                happened: words,
                next,
                reference: None,
            },
        )
    }

    pub(crate) fn of_fault(frame: Frame<'_>, fault: &Fault) -> Self {
        let (title, next) = if fault.status == StatusCode::SERVICE_UNAVAILABLE {
            ("Not available at the moment", "Wait a few seconds, then load the page again.")
        } else {
            ("Something went wrong", "Try again. If it happens once more, send us the reference.")
        };
        let problem = Problem {
            frame,
            title,
            happened: "We could not finish what you asked for. Nothing was changed.",
            next,
            reference: Some(&fault.reference),
        };
        let html = portico_pages::render(&problem);
        Self { status: fault.status, html, retry_after: fault.retry_after() }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        (self.status, portico_pages::header::ALL, waiting(self.retry_after), self.html)
            .into_response()
    }
}

/// A JSON body. Our own types always serialize.
pub(crate) fn json(body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => Fault::unexpected(&error).status.into_response(),
    }
}
