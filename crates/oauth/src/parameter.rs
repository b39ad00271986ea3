//! Parameters of a query or a form, read strictly: each at most once, in UTF-8, no control
//! characters. An empty one counts as absent (OAuth 2.1 §3.1).

use std::collections::BTreeMap;
use std::fmt;

use url::form_urlencoded;

use crate::ErrorCode;

/// The only one that may be given several times (RFC 8707 §2).
const RESOURCE: &str = "resource";

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("a parameter is given more than once")]
    Repeated,
    #[error("a parameter is not valid UTF-8")]
    Encoding,
    #[error("a parameter holds a control character")]
    Control,
    #[error("more than one resource is asked for")]
    SeveralResources,
    #[error("missing field `{0}`")]
    Missing(&'static str),
}

impl Malformed {
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::SeveralResources => ErrorCode::InvalidTarget,
            Self::Repeated | Self::Encoding | Self::Control | Self::Missing(_) => {
                ErrorCode::InvalidRequest
            }
        }
    }
}

pub(crate) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    pub(crate) fn parse(encoded: &[u8]) -> Result<Self, Malformed> {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for pair in encoded.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            if !is_utf8(pair) {
                return Err(Malformed::Encoding);
            }
            let Some((name, value)) = form_urlencoded::parse(pair).next() else {
                continue;
            };
            if name.chars().chain(value.chars()).any(char::is_control) {
                return Err(Malformed::Control);
            }
            match found.get(&*name) {
                Some(_) if name != RESOURCE => return Err(Malformed::Repeated),
                Some(first) if *first != value => return Err(Malformed::SeveralResources),
                Some(_) | None => found.insert(name.into_owned(), value.into_owned()),
            };
        }
        found.retain(|_, value| !value.is_empty());
        Ok(Self(found))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn required(&self, name: &'static str) -> Result<&str, Malformed> {
        self.get(name).ok_or(Malformed::Missing(name))
    }
}

/// The names alone: among the values are codes, verifiers and tokens.
impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Decoding replaces what is no UTF-8, which would make two different values equal.
fn is_utf8(pair: &[u8]) -> bool {
    let mut decoded = Vec::with_capacity(pair.len());
    let mut rest = pair;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let escaped = (byte == b'%').then(|| hex_pair(after)).flatten();
        if let Some(escaped) = escaped {
            decoded.push(escaped);
            rest = &after[2..];
        } else {
            decoded.push(byte);
        }
    }
    std::str::from_utf8(&decoded).is_ok()
}

fn hex_pair(text: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(encoded: &str) -> Result<Vec<(String, String)>, Malformed> {
        Parameters::parse(encoded.as_bytes()).map(|read| read.0.into_iter().collect())
    }

    // sec:D09, sec:D10, sec:D15, sec:F11, sec:F21
    #[test]
    fn each_parameter_is_read_once_and_unchanged() {
        for (encoded, expected) in [
            ("", Ok(vec![])),
            ("state=&scope", Ok(vec![])),
            ("state=gX%2FiM%3D%3D", Ok(vec![("state", "gX/iM==")])),
            ("state=%F0%9F%8C%B1", Ok(vec![("state", "\u{1f331}")])),
            ("state=100%", Ok(vec![("state", "100%")])),
            ("a=1&a=1", Err(Malformed::Repeated)),
            ("a=1&a=2", Err(Malformed::Repeated)),
            ("a=&a=2", Err(Malformed::Repeated)),
            ("a=1&%61=2", Err(Malformed::Repeated)),
            ("resource=x&resource=x", Ok(vec![("resource", "x")])),
            ("resource=x&resource=y", Err(Malformed::SeveralResources)),
            ("state=%ff", Err(Malformed::Encoding)),
            ("%ff=1", Err(Malformed::Encoding)),
            ("code=%00", Err(Malformed::Control)),
            ("state=%0d%0aSet-Cookie:x", Err(Malformed::Control)),
        ] {
            let expected = expected.map(|pairs| {
                pairs
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect()
            });
            assert_eq!(read(encoded), expected, "{encoded}");
        }
    }
    // mcp:R11
    #[test]
    fn no_value_is_printed() {
        let read = Parameters::parse(b"code=portico_ac_x&client_id=c").unwrap();
        assert_eq!(format!("{read:?}"), r#"{"client_id", "code"}"#);
    }
}
