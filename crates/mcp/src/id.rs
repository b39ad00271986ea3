//! A request's id: a string or an integer, echoed byte for byte.
//! Refuses null, fractions and structures; refuses to know what the client means by it.

use serde::Serialize;
use serde_json::value::RawValue;

/// The id of a request, as it was written.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Id(Box<RawValue>);

impl Id {
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_integer = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
        (text.starts_with('"') || is_integer).then(|| Self(raw.to_owned()))
    }

    /// The id as JSON.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // mcp:H10
    #[test]
    fn an_id_is_a_string_or_an_integer() {
        for (text, good) in [
            ("1", true),
            ("-7", true),
            ("0", true),
            (r#""server-discover-probe-1""#, true),
            (r#""""#, true),
            (r#""\u0000""#, true),
            ("123456789012345678901234567890", true),
            ("null", false),
            ("1.0", false),
            ("1e3", false),
            ("true", false),
            ("[1]", false),
            ("{}", false),
        ] {
            let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
            let read = Id::read(&raw);
            assert_eq!(read.as_ref().map(Id::as_json), good.then_some(text), "{text}");
        }
    }
}
