//! Names that are parts of addresses.

use std::borrow::Borrow;
use std::fmt;

/// What a tenant or a server is called in its address: a letter a to z, then at most thirty
/// letters, digits or hyphens, all lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slug(String);

impl Slug {
    const LONGEST: usize = 31;

    /// `None`: it is not written so.
    pub fn parse(text: &str) -> Option<Self> {
        Self::is_written_so(text).then(|| Self(text.to_owned()))
    }

    /// Whether `parse` would take the text, for those who keep none.
    pub fn is_written_so(text: &str) -> bool {
        let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        text.starts_with(|letter: char| letter.is_ascii_lowercase())
            && text.len() <= Self::LONGEST
            && text.bytes().all(is_plain)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// So that a map of slugs can be asked with a part of an address.
impl Borrow<str> for Slug {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Slug;

    #[test]
    fn only_a_plain_part_of_an_address_is_a_name() {
        let longest = "a".repeat(31);
        for (text, is_good) in [
            ("a", true),
            ("acme", true),
            ("a1-b-", true),
            (longest.as_str(), true),
            (&format!("{longest}a"), false),
            ("", false),
            ("1a", false),
            ("-a", false),
            ("Acme", false),
            ("a_b", false),
            ("a/b", false),
            ("a%2fb", false),
            ("a.b", false),
            ("\u{e9}", false),
            ("a\n", false),
        ] {
            let parsed = Slug::parse(text).map(|slug| slug.to_string());
            assert_eq!(parsed, is_good.then(|| text.to_owned()), "{text:?}");
        }
    }
}
