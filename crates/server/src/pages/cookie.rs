//! The two secrets that a browser holds for a tenant. Each cookie's name carries the tenant, since
//! several may share an origin.

use axum::http::{HeaderMap, HeaderValue, header};
use portico_model::{Kind, PlainToken};

/// As long as a session lives.
const SESSION_SECONDS: u32 = 12 * 60 * 60;

/// What the browser holds of this kind, if we minted it.
pub(crate) fn read(headers: &HeaderMap, kind: Kind, slug: &str) -> Option<PlainToken> {
    let name = name(kind, slug);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .find_map(|(_, value)| PlainToken::parse(kind, value).ok())
}

/// `Lax`, since people come from the client's site; the prefix `__Host-` keeps other hosts and
/// paths from setting it.
pub(crate) fn set(kind: Kind, slug: &str, secret: &PlainToken) -> HeaderValue {
    let lifetime = match kind {
        Kind::Session => format!("; Max-Age={SESSION_SECONDS}"),
        Kind::Browser | Kind::AccessToken | Kind::Code => String::new(),
    };
    value(kind, slug, secret.expose(), &lifetime)
}

/// Takes it away again.
pub(crate) fn clear(kind: Kind, slug: &str) -> HeaderValue {
    value(kind, slug, "", "; Max-Age=0")
}

#[expect(clippy::expect_used, reason = "slugs and secrets are visible ASCII")]
fn value(kind: Kind, slug: &str, secret: &str, lifetime: &str) -> HeaderValue {
    let name = name(kind, slug);
    HeaderValue::try_from(format!(
        "{name}={secret}; Path=/; Secure; HttpOnly; SameSite=Lax{lifetime}"
    ))
    .expect("a cookie is a header value")
}

fn name(kind: Kind, slug: &str) -> String {
    let noun = match kind {
        Kind::Session => "session",
        Kind::Browser => "browser",
        // Never a cookie; a name of its own keeps it from being read as one.
        Kind::AccessToken => "access_token",
        Kind::Code => "code",
    };
    format!("__Host-portico_{noun}_{slug}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (header::COOKIE, HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn a_cookie_is_for_one_tenant_and_out_of_reach_of_scripts() {
        let secret = PlainToken::mint(Kind::Session, [7; 32]);
        let set = set(Kind::Session, "acme", &secret);
        let expected = format!(
            "__Host-portico_session_acme={}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200",
            secret.expose()
        );
        assert_eq!(set, expected.as_str());
    }

    #[test]
    fn only_what_we_minted_for_this_tenant_and_purpose_is_read() {
        let session = PlainToken::mint(Kind::Session, [7; 32]);
        let text = session.expose();
        let own = format!("theme=dark; __Host-portico_session_acme={text}");
        for (values, found) in [
            (vec![own.as_str()], true),
            (vec!["theme=dark", &own], true),
            (vec![&format!("__Host-portico_session_globex={text}") as &str], false),
            (vec![&format!("portico_session_acme={text}") as &str], false),
            (vec![&format!("__Host-portico_browser_acme={text}") as &str], false),
            (vec!["__Host-portico_session_acme=portico_ss_made-up"], false),
            (vec![], false),
        ] {
            let read = read(&headers(&values), Kind::Session, "acme");
            assert_eq!(read.is_some(), found, "{values:?}");
        }
        assert!(read(&headers(&[&own]), Kind::Browser, "acme").is_none());
    }
}
