//! The `Authorization` header of a request to a resource (RFC 6750 §2.1).

use portico_model::{Kind, PlainToken, TokenHash};

use crate::Refusal;

/// Longer than what anybody hands out as an opaque token.
const LONGEST_FOREIGN: usize = 512;
/// Shorter than any secret.
const SHORTEST_FOREIGN: usize = 8;

/// A token as it was presented.
#[derive(Clone, Copy)]
pub struct Bearer<'h> {
    hash: TokenHash,
    /// The token itself, where it was not minted here.
    foreign: Option<&'h str>,
}

impl<'h> Bearer<'h> {
    /// Reads the header's value. What can be no token is refused by its shape, so that it never
    /// reaches the database.
    pub fn parse(header: Option<&'h [u8]>) -> Result<Self, Refusal> {
        let header = header.ok_or(Refusal::Missing)?;
        let (scheme, token) = match header.iter().position(|byte| *byte == b' ') {
            Some(at) => (&header[..at], &header[at + 1..]),
            None => (header, &[][..]),
        };
        if !scheme.eq_ignore_ascii_case(b"bearer") {
            return Err(Refusal::Missing);
        }
        let token = std::str::from_utf8(token).map_err(|_| Refusal::Malformed)?;
        if let Ok(token) = PlainToken::parse(Kind::AccessToken, token) {
            return Ok(Self { hash: token.hash(), foreign: None });
        }
        if is_foreign(token) {
            return Ok(Self { hash: TokenHash::of_foreign(token), foreign: Some(token) });
        }
        Err(Refusal::Malformed)
    }

    pub const fn hash(&self) -> &TokenHash {
        &self.hash
    }

    /// Whether it was minted here, or begins as the tenant says that tokens of an earlier system do.
    /// No other is ever looked up.
    pub fn is_known(&self, legacy: &[String]) -> bool {
        self.foreign.is_none_or(|token| begins_as(token, legacy))
    }
}

/// What is kept of a token of an earlier system, if the text is one by how it begins.
pub fn foreign(token: &str, legacy: &[String]) -> Option<TokenHash> {
    (is_foreign(token) && begins_as(token, legacy)).then(|| TokenHash::of_foreign(token))
}

/// Whether it could be a token that somebody else minted.
fn is_foreign(token: &str) -> bool {
    (SHORTEST_FOREIGN..=LONGEST_FOREIGN).contains(&token.len())
        && token.bytes().all(|byte| byte.is_ascii_graphic())
        && !Kind::ALL.iter().any(|kind| token.starts_with(kind.prefix()))
}

fn begins_as(token: &str, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| !prefix.is_empty() && token.starts_with(prefix.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // sec:I01, sec:I02, sec:I05, mcp:R6
    #[test]
    fn only_one_token_after_one_space_is_read() {
        let token = PlainToken::mint(Kind::AccessToken, [7; 32]);
        let code = PlainToken::mint(Kind::Code, [7; 32]);
        let (token, code) = (token.expose(), code.expose());
        for (header, read) in [
            (format!("Bearer {token}"), "read"),
            (format!("bEARER {token}"), "read"),
            (String::new(), "Missing"),
            ("Basic dTpw".to_owned(), "Missing"),
            (token.to_owned(), "Missing"),
            (format!("Bearer\t{token}"), "Missing"),
            ("Bearer".to_owned(), "Malformed"),
            ("Bearer ".to_owned(), "Malformed"),
            (format!("Bearer  {token}"), "Malformed"),
            (format!("Bearer {token} "), "Malformed"),
            (format!("Bearer {token},"), "Malformed"),
            (format!("Bearer {code}"), "Malformed"),
            ("Bearer portico_at_guess".to_owned(), "Malformed"),
        ] {
            let found = Bearer::parse(Some(header.as_bytes()));
            let found = found.map_or_else(|refusal| format!("{refusal:?}"), |_| "read".to_owned());
            assert_eq!(found, read, "{header}");
        }
        assert!(matches!(Bearer::parse(None), Err(Refusal::Missing)));
        assert!(matches!(Bearer::parse(Some(b"Bearer \xff")), Err(Refusal::Malformed)));
    }

    // pre:O25
    #[test]
    fn a_token_of_an_earlier_system_is_known_by_its_beginning_alone() {
        let legacy = ["acme_live_".to_owned(), String::new(), "portico_at_".to_owned()];
        let long = format!("acme_live_{}", "x".repeat(LONGEST_FOREIGN));
        for (token, expected) in [
            ("acme_live_1", "known"),
            ("acme_live_", "known"),
            (&long[..LONGEST_FOREIGN], "known"),
            (&long[..=LONGEST_FOREIGN], "nothing"),
            ("acme_test_1", "unknown"),
            ("xacme_live_1", "unknown"),
            ("12345678", "unknown"),
            ("1234567", "nothing"),
            ("acme_live_1 ", "nothing"),
            ("acme_live_\u{e9}", "nothing"),
            ("acme_live_\0", "nothing"),
            ("portico_at_guess", "nothing"),
            ("", "nothing"),
        ] {
            let header = format!("Bearer {token}");
            let read = Bearer::parse(Some(header.as_bytes())).ok();
            let is_known = read.map(|it| it.is_known(&legacy));
            let told = is_known.map_or("nothing", |it| if it { "known" } else { "unknown" });
            assert_eq!(told, expected, "{token}");
            assert_eq!(foreign(token, &legacy).is_some(), expected == "known", "{token}");
            assert_eq!(foreign(token, &[]), None, "{token}");
            let hash = read.map(|it| *it.hash());
            assert!(hash.is_none_or(|it| it == TokenHash::of_foreign(token)), "{token}");
            assert!(!read.is_some_and(|it| it.is_known(&[])), "{token}");
        }
    }
}
