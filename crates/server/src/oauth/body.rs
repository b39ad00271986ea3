//! Bodies of the endpoints for clients, read so that whatever is wrong is said in their words:
//! the framework's own refusals are plain text.

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use portico_mcp::budget::{self, Excess};
use portico_oauth::ErrorCode;

use crate::error::OAuthError;
use crate::media::{self, Incomplete};

const LARGEST_METADATA: usize = 64 * 1024;

/// The form of a client that does not authenticate, as no client here does.
pub(super) struct Form(pub(super) Bytes);

/// The JSON of a registration.
pub(super) struct Metadata(pub(super) Bytes);

/// A form that was refused before it was read.
pub(super) struct Refusal {
    error: OAuthError,
    /// The scheme that the client tried to authenticate with, and which it has to be told of.
    basic: bool,
}

impl From<OAuthError> for Refusal {
    fn from(error: OAuthError) -> Self {
        Self { error, basic: false }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.error.into_response();
        if self.basic {
            let challenge = HeaderValue::from_static(r#"Basic realm="portico""#);
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl<S: Sync> FromRequest<S> for Form {
    type Rejection = Refusal;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Refusal> {
        let (head, body) = request.into_parts();
        if let Some(credentials) = head.headers.get(header::AUTHORIZATION) {
            let basic = credentials
                .as_bytes()
                .get(..5)
                .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic"));
            let reason = "clients here have no secret and do not authenticate";
            let error = OAuthError::of_code(ErrorCode::InvalidClient, reason);
            return Err(Refusal { error, basic });
        }
        if !media::is(&head.headers, media::FORM) {
            let reason = "the body must be a form, application/x-www-form-urlencoded";
            return Err(OAuthError::of_code(ErrorCode::InvalidRequest, reason).into());
        }
        let read = media::read(body, media::LARGEST_FORM, media::PATIENCE).await;
        let body = read.map_err(|why| incomplete(why, ErrorCode::InvalidRequest))?;
        Ok(Self(body))
    }
}

impl<S: Sync> FromRequest<S> for Metadata {
    type Rejection = OAuthError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, OAuthError> {
        let (head, body) = request.into_parts();
        if !media::is(&head.headers, media::JSON) {
            let code = ErrorCode::InvalidClientMetadata.as_str();
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(OAuthError::new(status, code, "the body must be JSON"));
        }
        let read = media::read(body, LARGEST_METADATA, media::PATIENCE).await;
        let body = read.map_err(|why| incomplete(why, ErrorCode::InvalidClientMetadata))?;
        budget::check(&body).map_err(costly)?;
        Ok(Self(body))
    }
}

/// Also in fields that nobody reads, whose depth a reader follows all the same.
fn costly(excess: Excess) -> OAuthError {
    let code = ErrorCode::InvalidClientMetadata;
    OAuthError::of_code(code, format!("the body is not read: {excess}"))
}

fn incomplete(why: Incomplete, code: ErrorCode) -> OAuthError {
    let (status, reason) = match why {
        Incomplete::Late => (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"),
        Incomplete::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
        Incomplete::Cut => (StatusCode::BAD_REQUEST, "the body did not arrive whole"),
    };
    OAuthError::new(status, code.as_str(), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_late_is_another_refusal_than_one_that_is_too_large() {
        for (why, status, code) in [
            (Incomplete::Late, 408, ErrorCode::InvalidRequest),
            (Incomplete::TooLarge, 413, ErrorCode::InvalidClientMetadata),
            (Incomplete::Cut, 400, ErrorCode::InvalidClientMetadata),
        ] {
            let error = incomplete(why, code);
            assert_eq!((error.status.as_u16(), error.code), (status, code.as_str()));
        }
    }
}
