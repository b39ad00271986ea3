//! The protocol's words for what went wrong, and the status that each travels with.

use http::StatusCode;

/// An error as clients read it (RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    AccessDenied,
    InteractionRequired,
    InvalidClient,
    InvalidClientMetadata,
    InvalidGrant,
    InvalidRedirectUri,
    InvalidRequest,
    InvalidTarget,
    RequestNotSupported,
    RequestUriNotSupported,
    ServerError,
    TemporarilyUnavailable,
    /// The same word, for one client that asks too often.
    TooMany,
    UnsupportedGrantType,
    UnsupportedResponseType,
}

impl ErrorCode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AccessDenied => "access_denied",
            Self::InteractionRequired => "interaction_required",
            Self::InvalidClient => "invalid_client",
            Self::InvalidClientMetadata => "invalid_client_metadata",
            Self::InvalidGrant => "invalid_grant",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidRequest => "invalid_request",
            Self::InvalidTarget => "invalid_target",
            Self::RequestNotSupported => "request_not_supported",
            Self::RequestUriNotSupported => "request_uri_not_supported",
            Self::ServerError => "server_error",
            Self::TemporarilyUnavailable | Self::TooMany => "temporarily_unavailable",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
        }
    }

    /// The HTTP status of a direct answer.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::AccessDenied => StatusCode::FORBIDDEN,
            Self::InvalidClient => StatusCode::UNAUTHORIZED,
            Self::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::InteractionRequired
            | Self::InvalidClientMetadata
            | Self::InvalidGrant
            | Self::InvalidRedirectUri
            | Self::InvalidRequest
            | Self::InvalidTarget
            | Self::RequestNotSupported
            | Self::RequestUriNotSupported
            | Self::UnsupportedGrantType
            | Self::UnsupportedResponseType => StatusCode::BAD_REQUEST,
        }
    }
}
