//! Bodies of the endpoints for clients, read so that whatever is wrong is said in their words:
//! the framework's own refusals are plain text.

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use portico_oauth::ErrorCode;

use crate::error::OAuthError;

const LARGEST_FORM: usize = 16 * 1024;
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
            let error = super::refused(ErrorCode::InvalidClient, &reason);
            return Err(Refusal { error, basic });
        }
        if !has_type(&head.headers, "application/x-www-form-urlencoded") {
            let reason = "the body must be a form, application/x-www-form-urlencoded";
            return Err(super::refused(ErrorCode::InvalidRequest, &reason).into());
        }
        let body = to_bytes(body, LARGEST_FORM).await.map_err(|_| {
            super::refused(ErrorCode::InvalidRequest, &"the body is too large or was cut off")
        })?;
        Ok(Self(body))
    }
}

impl<S: Sync> FromRequest<S> for Metadata {
    type Rejection = OAuthError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, OAuthError> {
        let (head, body) = request.into_parts();
        if !has_type(&head.headers, "application/json") {
            return Err(unfit(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be JSON"));
        }
        let body = to_bytes(body, LARGEST_METADATA).await.map_err(|_| {
            unfit(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large or was cut off")
        })?;
        Ok(Self(body))
    }
}

fn unfit(status: StatusCode, reason: &str) -> OAuthError {
    OAuthError::new(status, ErrorCode::InvalidClientMetadata.as_str(), reason)
}

/// Whether the body is of that type, whatever parameters follow it.
fn has_type(headers: &HeaderMap, expected: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(expected))
}
