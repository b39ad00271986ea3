//! Failures as answers, one type per wire format. The only place that logs a failure: ours once,
//! with everything behind it and an id that the answer carries too.

use std::error::Error;
use std::fmt;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portico_mcp::{Code, Id, Rejection};
use portico_model::CallId;
use portico_pages::{Frame, Problem};
use portico_storage as storage;
use serde::Serialize;
use uuid::Uuid;

use crate::tenant;

/// Seconds after which a caller is told to come back when the database is away.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

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
pub struct Fault {
    /// 503 while something that we need is away, else 500.
    pub status: StatusCode,
    /// Leads from what the caller sees to the line in the log.
    pub reference: String,
}

impl Fault {
    pub fn of_storage(error: &storage::Error) -> Self {
        Self::log(error, error.is_outage())
    }

    pub fn of_tenant(error: &tenant::Error) -> Self {
        let outage = match error {
            tenant::Error::Storage(error) => error.is_outage(),
            tenant::Error::Declaration { .. } | tenant::Error::Offer { .. } => false,
        };
        Self::log(error, outage)
    }

    /// A tool that failed inside. Its caller was told the id of the call and nothing else.
    pub fn of_call(call: CallId, error: &storage::Error) {
        tracing::error!(%call, error = %Chain(error), "a tool failed");
    }

    /// For an error that no outage explains.
    pub fn unexpected(error: &(dyn Error + 'static)) -> Self {
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

    /// What has filled up and will empty again; it was logged where it filled.
    pub fn overload() -> Self {
        let reference = Uuid::new_v4().to_string();
        tracing::error!(reference, "the record of calls is full");
        Self { status: StatusCode::SERVICE_UNAVAILABLE, reference }
    }

    fn retry_after(&self) -> Option<[(HeaderName, HeaderValue); 1]> {
        (self.status == StatusCode::SERVICE_UNAVAILABLE)
            .then(|| [(header::RETRY_AFTER, RETRY_AFTER)])
    }
}

/// An answer of the authorization server that is not a success (RFC 6749 §5.2).
#[derive(Debug)]
pub struct OAuthError {
    pub status: StatusCode,
    pub code: &'static str,
    pub description: String,
    fault: Option<Fault>,
}

#[derive(Serialize)]
struct OAuthBody<'e> {
    error: &'static str,
    error_description: &'e str,
}

impl OAuthError {
    pub fn new(status: StatusCode, code: &'static str, description: impl Into<String>) -> Self {
        Self { status, code, description: description.into(), fault: None }
    }

    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address")
    }
}

impl From<Fault> for OAuthError {
    fn from(fault: Fault) -> Self {
        let (code, description) = if fault.status == StatusCode::SERVICE_UNAVAILABLE {
            ("temporarily_unavailable", "come back in a few seconds".to_owned())
        } else {
            ("server_error", format!("something went wrong here; reference {}", fault.reference))
        };
        Self { status: fault.status, code, description, fault: Some(fault) }
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
        let retry_after = self.fault.as_ref().and_then(Fault::retry_after);
        (
            self.status,
            retry_after.map(axum::response::AppendHeaders),
            [(header::CACHE_CONTROL, "no-store")],
            json(&body),
        )
            .into_response()
    }
}

/// A JSON-RPC answer that is not a result.
#[derive(Debug)]
pub struct RpcError {
    pub rejection: Rejection,
    fault: Option<Fault>,
}

impl RpcError {
    /// The same, to the request of that id.
    pub fn answering(self, id: &Id) -> Self {
        Self { rejection: self.rejection.answering(id), ..self }
    }
}

impl From<Rejection> for RpcError {
    fn from(rejection: Rejection) -> Self {
        Self { rejection, fault: None }
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
        Self { rejection, fault: Some(fault) }
    }
}

impl From<storage::Error> for RpcError {
    fn from(error: storage::Error) -> Self {
        Fault::of_storage(&error).into()
    }
}

impl IntoResponse for RpcError {
    fn into_response(self) -> Response {
        let retry_after = self.fault.as_ref().and_then(Fault::retry_after);
        (
            self.rejection.status(),
            retry_after.map(axum::response::AppendHeaders),
            [(header::CONTENT_TYPE, "application/json")],
            self.rejection.body(),
        )
            .into_response()
    }
}

/// The one page for what did not go as wished.
#[derive(Debug)]
pub struct PageError {
    pub status: StatusCode,
    /// The page, ready made: it carries the tenant's brand, which an error does not know.
    html: String,
    fault: Option<Fault>,
}

impl PageError {
    pub fn new(status: StatusCode, problem: &Problem<'_>) -> Self {
        Self { status, html: portico_pages::render(problem), fault: None }
    }

    pub fn not_found(frame: Frame<'_>) -> Self {
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

    pub fn of_fault(frame: Frame<'_>, fault: Fault) -> Self {
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
        Self { status: fault.status, html, fault: Some(fault) }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let retry_after = self.fault.as_ref().and_then(Fault::retry_after);
        (
            self.status,
            portico_pages::header::ALL,
            retry_after.map(axum::response::AppendHeaders),
            self.html,
        )
            .into_response()
    }
}

/// A JSON body. Our own types always serialize.
pub fn json(body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => Fault::unexpected(&error).status.into_response(),
    }
}
