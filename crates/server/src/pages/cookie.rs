//! The two secrets that a browser holds for a tenant. Each cookie's name carries the tenant, since
//! several may share an origin.

use axum::http::{HeaderMap, HeaderValue, header};
use portico_identity::session;
use portico_model::{Kind, PlainToken};

use crate::tenant::Snapshot;

/// A cookie of one tenant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cookie<'t> {
    noun: Noun,
    slug: &'t str,
    is_https: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noun {
    /// Who sits at the browser.
    Session,
    /// Which browser it is.
    Browser,
}

pub(crate) fn session(tenant: &Snapshot) -> Cookie<'_> {
    Cookie::of(Noun::Session, tenant)
}

pub(crate) fn browser(tenant: &Snapshot) -> Cookie<'_> {
    Cookie::of(Noun::Browser, tenant)
}

impl<'t> Cookie<'t> {
    fn of(noun: Noun, tenant: &'t Snapshot) -> Self {
        let is_https = tenant.issuer.as_str().starts_with("https://");
        Self { noun, slug: tenant.slug.as_str(), is_https }
    }

    /// What the browser holds, if we minted it for this.
    pub(crate) fn read(self, headers: &HeaderMap) -> Option<PlainToken> {
        let name = self.name();
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(key, _)| *key == name)
            .find_map(|(_, value)| PlainToken::parse(self.kind(), value).ok())
    }

    pub(crate) fn set(self, secret: &PlainToken) -> HeaderValue {
        let lifetime = match self.noun {
            Noun::Session => format!("; Max-Age={}", session::TTL.as_secs()),
            Noun::Browser => String::new(),
        };
        self.value(secret.expose(), &lifetime)
    }

    /// Takes it away again.
    pub(crate) fn clear(self) -> HeaderValue {
        self.value("", "; Max-Age=0")
    }

    /// `Lax`, since people come from the client's site.
    #[expect(clippy::expect_used, reason = "slugs and secrets are visible ASCII")]
    fn value(self, secret: &str, lifetime: &str) -> HeaderValue {
        let name = self.name();
        let secure = if self.is_https { "; Secure" } else { "" };
        HeaderValue::try_from(format!(
            "{name}={secret}; Path=/{secure}; HttpOnly; SameSite=Lax{lifetime}"
        ))
        .expect("a cookie is a header value")
    }

    /// The prefix `__Host-` keeps other hosts and paths from setting it. It wants `Secure`, which
    /// not every browser accepts over http, not even on the person's own computer.
    fn name(self) -> String {
        let prefix = if self.is_https { "__Host-" } else { "" };
        let noun = match self.noun {
            Noun::Session => "session",
            Noun::Browser => "browser",
        };
        format!("{prefix}portico_{noun}_{}", self.slug)
    }

    const fn kind(self) -> Kind {
        match self.noun {
            Noun::Session => Kind::Session,
            Noun::Browser => Kind::Browser,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acme(noun: Noun, is_https: bool) -> Cookie<'static> {
        Cookie { noun, slug: "acme", is_https }
    }

    fn sent(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (header::COOKIE, HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn a_cookie_is_for_one_tenant_and_out_of_reach_of_scripts() {
        let secret = PlainToken::mint(Kind::Session, [7; 32]);
        let text = secret.expose();
        for (is_https, expected) in [
            (
                true,
                format!(
                    "__Host-portico_session_acme={text}; Path=/; Secure; HttpOnly; SameSite=Lax; \
                     Max-Age=43200"
                ),
            ),
            (
                false,
                format!(
                    "portico_session_acme={text}; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200"
                ),
            ),
        ] {
            assert_eq!(acme(Noun::Session, is_https).set(&secret), expected.as_str());
        }
    }

    #[test]
    fn only_what_we_minted_for_this_tenant_and_purpose_is_read() {
        let secret = PlainToken::mint(Kind::Session, [7; 32]);
        let text = secret.expose();
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
            let read = acme(Noun::Session, true).read(&sent(&values));
            assert_eq!(read.is_some(), found, "{values:?}");
        }
        assert!(acme(Noun::Browser, true).read(&sent(&[&own])).is_none());
    }
}
