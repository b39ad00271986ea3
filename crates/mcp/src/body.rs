//! The body as borrowed pieces of JSON: envelope, parameters, `_meta`, and its size in values and depth.
//! Refuses to build a tree: what is not asked for stays text.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::error::{Code, Rejection};

/// Deeper than this, the readers behind us refuse the arguments anyway.
const DEEPEST: usize = 100;

/// More values than this cost many times their text once they are a tree.
const MOST_VALUES: usize = 10_000;

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

/// The envelope of one message.
pub(crate) fn envelope(body: &[u8]) -> Result<Envelope<'_>, Rejection> {
    let unreadable = || Rejection::bad_request(Code::ParseError, "Parse error");
    let text = std::str::from_utf8(body).map_err(|_| unreadable())?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|_| unreadable())?;
    if raw.get().starts_with('[') {
        return Err(invalid("batches are not served"));
    }
    object(raw)
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

/// Whether the values are few and shallow enough to be made a tree.
pub(crate) fn measure(raw: &RawValue) -> Result<(), Rejection> {
    let (mut depth, mut values, mut in_string, mut escaped) = (0_usize, 1_usize, false, false);
    for byte in raw.get().bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                values += 1;
            }
            b'}' | b']' => depth -= 1,
            b',' => values += 1,
            _ => {}
        }
        if depth > DEEPEST {
            return Err(invalid("nested too deeply"));
        }
        if values > MOST_VALUES {
            return Err(invalid("too many values"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    // sec:J11
    #[test]
    fn a_tree_that_would_cost_too_much_is_refused_as_text() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let wide = |count: usize| format!("[{}1]", r#"{"a":0},"#.repeat(count));
        for (text, good) in [
            (deep(100), true),
            (deep(101), false),
            (deep(100_000), false),
            (wide(4_998), true),
            (wide(5_000), false),
            (format!(r#"["{}"]"#, "[{,".repeat(100_000)), true),
            (format!(r#"["\"{}"]"#, "[".repeat(200)), true),
        ] {
            assert_eq!(measure(raw(&text)).is_ok(), good, "{} bytes", text.len());
        }
    }
}
