//! The `[oauth]` of a document: how long tokens live, what imported ones begin with, and where
//! clients may be sent back to.

use std::ops::RangeInclusive;
use std::time::Duration;

use url::Url;

use crate::compiled::{Lifetime, Redirects};
use crate::field::{self, choose};
use crate::section::Section;
use crate::text::{Placed, Report};

const DEFAULT_LIFETIME: Lifetime = Lifetime::Expires(Duration::from_hours(8));

/// What every token of ours begins with.
const OWN_PREFIX: &str = "portico_";

/// Shorter ones would be met by chance, and longer ones are whole tokens.
const PREFIX_LENGTH: RangeInclusive<usize> = 4..=32;
const MOST_PREFIXES: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct OAuth {
    pub(crate) access_token: Lifetime,
    pub(crate) redirects: Redirects,
    pub(crate) legacy_token_prefixes: Vec<String>,
}

pub(crate) fn read(root: &mut Section<'_>, report: &mut Report<'_>) -> OAuth {
    let Some(mut section) = root.section("oauth", report) else {
        return OAuth {
            access_token: DEFAULT_LIFETIME,
            redirects: Redirects::KnownApps(Vec::new()),
            legacy_token_prefixes: Vec::new(),
        };
    };
    let lifetime = field::lifetime(&mut section, report);
    let redirects = read_redirects(&mut section, report);
    let legacy_token_prefixes = read_prefixes(&mut section, report);
    section.finish(report);
    OAuth { access_token: lifetime.unwrap_or(DEFAULT_LIFETIME), redirects, legacy_token_prefixes }
}

/// A token must be known for an earlier system's or for ours by how it begins.
fn read_prefixes(section: &mut Section<'_>, report: &mut Report<'_>) -> Vec<String> {
    const KEY: &str = "legacy_token_prefixes";
    let prefixes = section.texts(KEY, report);
    if let Some(first_too_many) = prefixes.get(MOST_PREFIXES) {
        report.add(first_too_many.at, format!("`{KEY}` has more than {MOST_PREFIXES} prefixes"));
    }
    for Placed { value, at } in &prefixes {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !PREFIX_LENGTH.contains(&value.len()) || !value.bytes().all(is_plain) {
            let (least, most) = (PREFIX_LENGTH.start(), PREFIX_LENGTH.end());
            let form = format!("{least} to {most} letters, digits, hyphens or underscores");
            report.add(*at, format!("`{KEY}` cannot hold `{value}`; it must be {form}"));
        } else if value.starts_with(OWN_PREFIX) || OWN_PREFIX.starts_with(value.as_str()) {
            let sentence =
                format!("`{KEY}` cannot hold `{value}`; our own tokens begin with `{OWN_PREFIX}`");
            report.add(*at, sentence);
        }
    }
    prefixes.into_iter().map(|prefix| prefix.value).collect()
}

fn read_redirects(section: &mut Section<'_>, report: &mut Report<'_>) -> Redirects {
    let said = section.text("redirects", report);
    let own = read_redirect_uris(section, report);
    let known_apps = Redirects::KnownApps(own.iter().map(|uri| uri.value.clone()).collect());
    let Some(said) = said else {
        return known_apps;
    };
    let choices = [("known-apps", known_apps), ("https-or-loopback", Redirects::HttpsOrLoopback)];
    let redirects =
        choose("redirects", &said, &choices, report).unwrap_or(Redirects::HttpsOrLoopback);
    if let (Redirects::HttpsOrLoopback, Some(first)) = (&redirects, own.first()) {
        report.add(first.at, "`redirect_uris` needs `redirects = \"known-apps\"`");
    }
    redirects
}

/// Addresses of single clients, letter by letter: a scheme belongs to whoever claims it on a
/// computer, so that none is accepted by pattern.
fn read_redirect_uris(section: &mut Section<'_>, report: &mut Report<'_>) -> Vec<Placed> {
    let uris = section.texts("redirect_uris", report);
    for uri in uris.iter().filter(|uri| !is_private(&uri.value)) {
        let form = "an address as the client registers it, with a scheme of its own";
        report
            .add(uri.at, format!("`redirect_uris` cannot hold `{}`; it must be {form}", uri.value));
    }
    uris
}

/// Schemes that are no client's own: a browser runs, reads or fetches what they lead to.
const PUBLIC_SCHEMES: &[&str] = &[
    "about",
    "blob",
    "data",
    "file",
    "ftp",
    "http",
    "https",
    "intent",
    "javascript",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

fn is_private(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        let is_plain = url.fragment().is_none() && url.username().is_empty();
        url.as_str() == text
            && !url.cannot_be_a_base()
            && !PUBLIC_SCHEMES.contains(&url.scheme())
            && is_plain
            && !text.contains('*')
    })
}
