//! What a message is refused with: code, HTTP status, words, and the JSON that carries them.
//! Refuses to emit `id: null` or a code that the specification has withdrawn.

use std::borrow::Cow;

use http::StatusCode;
use serde::Serialize;

use crate::id::Id;
use crate::json;
use crate::version::Revision;

/// The error codes in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    ParseError,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    InternalError,
    HeaderMismatch,
    UnsupportedVersion,
}

impl Code {
    pub const fn number(self) -> i32 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::InternalError => -32603,
            Self::HeaderMismatch => -32020,
            Self::UnsupportedVersion => -32022,
        }
    }
}

/// A message that is answered with a JSON-RPC error.
///
/// It is a value, so that a caller may check the token before it lets the sender see it.
#[derive(Debug, Clone)]
pub struct Rejection {
    status: StatusCode,
    code: Code,
    message: Cow<'static, str>,
    id: Option<Id>,
    requested: Option<String>,
}

impl Rejection {
    pub fn new(status: StatusCode, code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, code, message: message.into(), id: None, requested: None }
    }

    /// A 400: the sender broke a rule of framing.
    pub(crate) fn bad_request(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// A failure of a well-formed request, which travels in a 200.
    pub fn in_band(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::OK, code, message)
    }

    /// The same words whether the tool is absent, denied or of another surface.
    pub fn unknown_tool(name: &str) -> Self {
        Self::in_band(Code::InvalidParams, format!("Unknown tool: {}", clip(name)))
    }

    pub(crate) fn unsupported_version(requested: &str) -> Self {
        let rejection = Self::bad_request(Code::UnsupportedVersion, "Unsupported protocol version");
        Self { requested: Some(requested.to_owned()), ..rejection }
    }

    #[must_use]
    pub fn answering(self, id: &Id) -> Self {
        Self { id: Some(id.clone()), ..self }
    }

    pub const fn status(&self) -> StatusCode {
        self.status
    }

    pub const fn code(&self) -> Code {
        self.code
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// The JSON-RPC error response.
    pub fn body(&self) -> String {
        let data = self.requested.as_deref().map(|requested| Versions {
            supported: Revision::ALL.map(Revision::as_str),
            requested,
        });
        let error = Detail { code: self.code.number(), message: &self.message, data };
        let response = Response { jsonrpc: "2.0", id: self.id.as_ref(), error };
        json::text(&response)
    }
}

#[derive(Serialize)]
struct Response<'r> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'r Id>,
    error: Detail<'r>,
}

#[derive(Serialize)]
struct Detail<'r> {
    code: i32,
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Versions<'r>>,
}

#[derive(Serialize)]
struct Versions<'r> {
    supported: [&'static str; Revision::ALL.len()],
    requested: &'r str,
}

/// A sender's word, short enough to repeat in a message.
pub(crate) fn clip(word: &str) -> Cow<'_, str> {
    const MOST: usize = 128;
    match word.char_indices().nth(MOST) {
        None => Cow::Borrowed(word),
        Some((end, _)) => Cow::Owned(format!("{}…", &word[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // mcp:H9, sec:J25
    #[test]
    fn an_error_without_a_known_id_has_no_id_member() {
        let rejection = Rejection::bad_request(Code::ParseError, "Parse error");

        insta::assert_snapshot!(rejection.body(), @r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#);
    }

    // mcp:M4
    #[test]
    fn an_unknown_version_is_told_what_is_served_and_what_it_asked_for() {
        let rejection = Rejection::unsupported_version("v999.0.0");

        insta::assert_snapshot!(rejection.body(), @r#"{"jsonrpc":"2.0","error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26"],"requested":"v999.0.0"}}}"#);
    }

    #[test]
    fn a_long_word_is_cut_at_a_character() {
        assert_eq!(clip("read_board"), "read_board");
        assert_eq!(clip(&"é".repeat(129)), format!("{}…", "é".repeat(128)));
    }
}
