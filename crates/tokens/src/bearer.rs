//! The `Authorization` header of a request to a resource (RFC 6750 §2.1).

use portico_model::{Kind, PlainToken};

use crate::Refusal;

/// Reads the header's value. A secret that was not minted here is refused by its shape, so that a
/// stranger's never reaches the database.
pub fn bearer(header: Option<&[u8]>) -> Result<PlainToken, Refusal> {
    let header = header.ok_or(Refusal::Missing)?;
    let (scheme, token) = match header.iter().position(|byte| *byte == b' ') {
        Some(at) => (&header[..at], &header[at + 1..]),
        None => (header, &[][..]),
    };
    if !scheme.eq_ignore_ascii_case(b"bearer") {
        return Err(Refusal::Missing);
    }
    let token = std::str::from_utf8(token).map_err(|_| Refusal::Malformed)?;
    PlainToken::parse(Kind::AccessToken, token).map_err(|_| Refusal::Malformed)
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
            let found = bearer(Some(header.as_bytes()));
            let found = found.map_or_else(|refusal| format!("{refusal:?}"), |_| "read".to_owned());
            assert_eq!(found, read, "{header}");
        }
        assert!(matches!(bearer(None), Err(Refusal::Missing)));
        assert!(matches!(bearer(Some(b"Bearer \xff")), Err(Refusal::Malformed)));
    }
}
