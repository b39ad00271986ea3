//! The headers that repeat the body's words, and whether they agree with it.
//! Refuses to decide anything by a header that the body could say: the body is what is run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName};

use crate::error::{Code, Rejection, clip};

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// One header as it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field<'h> {
    Absent,
    /// Twice, or not visible ASCII.
    Broken,
    Text(&'h str),
}

impl<'h> Field<'h> {
    fn read(headers: &'h HeaderMap, name: &HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        let Some(value) = values.next() else {
            return Self::Absent;
        };
        match value.to_str() {
            Ok(text) if values.next().is_none() => Self::Text(text.trim_matches([' ', '\t'])),
            Ok(_) | Err(_) => Self::Broken,
        }
    }
}

pub(crate) fn version(headers: &HeaderMap) -> Field<'_> {
    Field::read(headers, &VERSION)
}

/// The version header against the one in `_meta`. An absent header is left to `agrees`, so that an
/// unknown version is named before a missing header is.
pub(crate) fn contradicts_version(header: Field<'_>, stated: &str) -> bool {
    match header {
        Field::Absent => false,
        Field::Broken => true,
        Field::Text(text) => text != stated,
    }
}

/// The rest of the headers of the per-request era against the body.
pub(crate) fn agree(
    headers: &HeaderMap,
    method: &str,
    name: Option<&str>,
) -> Result<(), Rejection> {
    if version(headers) == Field::Absent {
        return Err(mismatch("MCP-Protocol-Version is missing"));
    }
    match Field::read(headers, &METHOD) {
        Field::Absent => return Err(mismatch("Mcp-Method is missing")),
        Field::Broken => return Err(mismatch("Mcp-Method is malformed")),
        Field::Text(text) if text != method => {
            return Err(mismatch(&differs("Mcp-Method", text, method)));
        }
        Field::Text(_) => {}
    }
    if !is_named(method) {
        return Ok(());
    }
    match (Field::read(headers, &NAME), name) {
        // The body's own fault is told by the one who reads its parameters.
        (Field::Absent, None) => Ok(()),
        (Field::Absent, Some(_)) => Err(mismatch("Mcp-Name is missing")),
        (Field::Broken, _) => Err(mismatch("Mcp-Name is malformed")),
        (Field::Text(text), name) => match (decode(text), name) {
            (Some(said), Some(name)) if said == name => Ok(()),
            (Some(said), Some(name)) => Err(mismatch(&differs("Mcp-Name", &said, name))),
            (Some(_), None) => Err(mismatch("Mcp-Name is not in the body")),
            (None, _) => Err(mismatch("Mcp-Name is not valid Base64")),
        },
    }
}

/// The methods whose target `Mcp-Name` repeats.
fn is_named(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

/// The value, out of its Base64 sentinel if it wears one.
fn decode(text: &str) -> Option<String> {
    let Some(encoded) = text.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?=")) else {
        return Some(text.to_owned());
    };
    let bytes = STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok()
}

fn differs(header: &str, said: &str, meant: &str) -> String {
    format!("{header} header value '{}' does not match body value '{}'", clip(said), clip(meant))
}

pub(crate) fn mismatch(what: &str) -> Rejection {
    Rejection::bad_request(Code::HeaderMismatch, format!("Header mismatch: {what}"))
}

#[cfg(test)]
mod tests;
