//! The `[oauth]` of a document: how long tokens live, and where clients may be sent back to.

use std::time::Duration;

use url::Url;

use crate::compiled::{Lifetime, Redirects};
use crate::field::{self, choose};
use crate::section::Section;
use crate::text::{Placed, Report};

const DEFAULT_LIFETIME: Lifetime = Lifetime::Expires(Duration::from_hours(8));

pub(crate) fn read(root: &mut Section<'_>, report: &mut Report<'_>) -> (Lifetime, Redirects) {
    let Some(mut section) = root.section("oauth", report) else {
        return (DEFAULT_LIFETIME, Redirects::KnownApps(Vec::new()));
    };
    let lifetime = field::lifetime(&mut section, report);
    let redirects = read_redirects(&mut section, report);
    section.finish(report);
    (lifetime.unwrap_or(DEFAULT_LIFETIME), redirects)
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
