//! What the endpoint answers instead of a result.
//! Refuses to tell one bad token from another: outside, they are all the same.

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portico_mcp::{Id, Rejection};
use portico_storage as storage;

use crate::error::{Fault, RpcError};
use crate::tenant;

#[derive(Debug)]
pub(super) enum Refusal {
    /// In the words of the protocol alone.
    Plain(RpcError),
    /// With the header that tells a client how to go on.
    Challenged(Rejection, HeaderValue),
    /// The sender may come in, but not by this method.
    OtherMethod,
}

impl Refusal {
    pub(super) fn no_server() -> Self {
        Self::Plain(RpcError::no_server())
    }

    /// The host that the request came to is nobody's any more.
    pub(super) fn misdirected() -> Self {
        Self::Plain(RpcError::misdirected())
    }

    pub(super) fn other_origin() -> Self {
        let words = "This origin may not call the server";
        Self::Plain(RpcError::refused(StatusCode::FORBIDDEN, words))
    }

    pub(super) fn suspended() -> Self {
        Self::Plain(RpcError::suspended())
    }

    /// What a challenge is made of is ours, but a declaration may bring more than a header holds.
    pub(super) fn challenged(rejection: Rejection, challenge: &str) -> Self {
        match HeaderValue::try_from(challenge) {
            Ok(challenge) => Self::Challenged(rejection, challenge),
            Err(error) => Fault::unexpected(&error).into(),
        }
    }

    /// Whether it is a failure of ours.
    pub(super) fn is_fault(&self) -> bool {
        match self {
            Self::Plain(error) => error.rejection.status().is_server_error(),
            Self::Challenged(..) | Self::OtherMethod => false,
        }
    }

    /// As it is told in the place of one answer among several, where no header can be.
    pub(super) fn into_rejection(self) -> Rejection {
        match self {
            Self::Plain(error) => error.rejection,
            Self::Challenged(rejection, _) => rejection,
            Self::OtherMethod => RpcError::other_method().rejection,
        }
    }

    /// The same, to the request of that id.
    pub(super) fn answering(self, id: &Id) -> Self {
        match self {
            Self::Plain(error) => Self::Plain(error.answering(id)),
            Self::Challenged(rejection, challenge) => {
                Self::Challenged(rejection.answering(id), challenge)
            }
            Self::OtherMethod => Self::OtherMethod,
        }
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Plain(rejection.into())
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Plain(fault.into())
    }
}

impl From<storage::Error> for Refusal {
    fn from(error: storage::Error) -> Self {
        Self::Plain(error.into())
    }
}

impl From<tenant::Error> for Refusal {
    fn from(error: tenant::Error) -> Self {
        Fault::of_tenant(&error).into()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Plain(error) => error.into_response(),
            Self::Challenged(rejection, challenge) => {
                ([(header::WWW_AUTHENTICATE, challenge)], RpcError::from(rejection)).into_response()
            }
            Self::OtherMethod => {
                ([(header::ALLOW, Method::POST.as_str())], RpcError::other_method()).into_response()
            }
        }
    }
}
