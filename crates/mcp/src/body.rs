//! The body as borrowed pieces of JSON: envelope, parameters, `_meta`.
//! Refuses to build a tree: what is not asked for stays text.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::budget;
use crate::error::{Code, Rejection};

#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'b> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) jsonrpc: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) method: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) params: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) result: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) error: Option<&'b RawValue>,
}

/// The parameters that any served method reads.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Params<'b> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) name: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) uri: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) arguments: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) cursor: Option<&'b RawValue>,
    #[serde(borrow, default, rename = "protocolVersion", deserialize_with = "present")]
    pub(crate) version: Option<&'b RawValue>,
    #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
    pub(crate) meta: Option<&'b RawValue>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Meta<'b> {
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/protocolVersion",
        deserialize_with = "present"
    )]
    pub(crate) version: Option<&'b RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/clientCapabilities",
        deserialize_with = "present"
    )]
    pub(crate) capabilities: Option<&'b RawValue>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Arguments<'b> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) workspace: Option<&'b RawValue>,
}

/// A member that is there, even as `null`. A member that is there twice is an error by itself.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// The one JSON text that a body is.
pub(crate) fn document(body: &[u8]) -> Result<&RawValue, Rejection> {
    let unreadable = || Rejection::bad_request(Code::ParseError, "Parse error");
    let text = std::str::from_utf8(body).map_err(|_| unreadable())?;
    serde_json::from_str(text).map_err(|_| unreadable())
}

/// Whether a part of it may be made a tree. What is never made one needs no such question.
pub(crate) fn affordable(raw: &RawValue) -> Result<(), Rejection> {
    budget::check(raw.get().as_bytes()).map_err(|excess| invalid(&excess.to_string()))
}

/// The members of an object. Derived readers would take an array for one.
pub(crate) fn object<'b, T: Deserialize<'b>>(raw: &'b RawValue) -> Result<T, Rejection> {
    if !is_object(raw) {
        return Err(invalid("not an object"));
    }
    serde_json::from_str(raw.get()).map_err(|error| match error.classify() {
        Category::Data => invalid("a member is there twice"),
        Category::Syntax | Category::Eof | Category::Io => invalid("a name is not valid text"),
    })
}

pub(crate) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

pub(crate) fn is_array(raw: &RawValue) -> bool {
    raw.get().starts_with('[')
}

/// The text of a JSON string; nothing for anything else, half a surrogate pair among it.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Text<'b>(#[serde(borrow)] Cow<'b, str>);

    if !raw.get().starts_with('"') {
        return None;
    }
    serde_json::from_str(raw.get()).map(|Text(text)| text).ok()
}

pub(crate) fn invalid(why: &str) -> Rejection {
    Rejection::bad_request(Code::InvalidRequest, format!("Invalid request: {why}"))
}
