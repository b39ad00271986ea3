//! Where an answer may be sent. A `Redirect` exists only for an address that its client
//! registered; everything else is text.

mod recognised;

use portico_declaration::Redirects;
use portico_model::Destination;
use url::{Host, Position, Url, form_urlencoded};

const LONGEST: usize = 2_048;

/// Callbacks with a scheme of their own, of clients that everybody knows; a tenant declares more.
/// Such a scheme belongs to whoever claims it on a computer, so none is accepted by pattern.
const KNOWN_APPS: &[&str] = &["cursor://anysphere.cursor-mcp/oauth/callback"];

/// What an answer says: a client that finds one of them twice may read the wrong one.
const OF_ANSWERS: &[&str] = &["code", "state", "iss", "error", "error_description"];

/// Why an address cannot be registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unacceptable {
    #[error("it is longer than 2048 characters")]
    TooLong,
    #[error("it is not an absolute URI")]
    NotAbsolute,
    #[error("it is not in its normal form")]
    NotNormal,
    #[error("it has a user name or password")]
    Credentials,
    #[error("it has a fragment")]
    Fragment,
    #[error("it has a wildcard")]
    Wildcard,
    #[error("it has an encoded control character")]
    Control,
    #[error("its query has a parameter of the answer")]
    Answer,
    #[error("its host ends with a dot")]
    TrailingDot,
    #[error("http is accepted for localhost, 127.0.0.1 and [::1] only")]
    PlainHttp,
    #[error("its scheme is accepted for known clients only")]
    Scheme,
}

/// An address that a client may register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    text: String,
    url: Url,
}

/// An address that belongs to the client that asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect(Target);

impl Target {
    pub(crate) fn parse(text: &str, allowed: &Redirects) -> Result<Self, Unacceptable> {
        if text.len() > LONGEST {
            return Err(Unacceptable::TooLong);
        }
        let url = Url::parse(text).map_err(|_| Unacceptable::NotAbsolute)?;
        // What the parser would repair, a browser might repair otherwise. An empty path is the
        // one repair that changes nothing.
        if url.as_str() != text && url.as_str().strip_suffix('/') != Some(text) {
            return Err(Unacceptable::NotNormal);
        }
        check_parts(&url)?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(Unacceptable::PlainHttp),
            _ => check_known_app(text, allowed)?,
        }
        Ok(Self { text: text.to_owned(), url })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The address without the port where the port means nothing: the system gives a
    /// client another one at every start (RFC 8252 §7.3).
    pub(crate) fn without_loopback_port(&self) -> String {
        let mut url = self.url.clone();
        if url.scheme() == "http" && url.set_port(None).is_ok() {
            return url.into();
        }
        self.text.clone()
    }

    fn matches(&self, asked: &Self) -> bool {
        self.text == asked.text
            || (asked.url.scheme() == "http"
                && self.without_loopback_port() == asked.without_loopback_port())
    }
}

fn check_parts(url: &Url) -> Result<(), Unacceptable> {
    let text = url.as_str();
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Unacceptable::Credentials);
    }
    if url.fragment().is_some() {
        return Err(Unacceptable::Fragment);
    }
    if text.contains('*') {
        return Err(Unacceptable::Wildcard);
    }
    if has_encoded_control(text) {
        return Err(Unacceptable::Control);
    }
    if url.query_pairs().any(|(name, _)| OF_ANSWERS.contains(&&*name)) {
        return Err(Unacceptable::Answer);
    }
    if url.host_str().is_some_and(|host| host.ends_with('.')) {
        return Err(Unacceptable::TrailingDot);
    }
    Ok(())
}

fn has_encoded_control(text: &str) -> bool {
    // The encoded byte that stands right in front.
    let mut before = None;
    text.split('%').skip(1).any(|after| {
        let mut digits = after.chars().map_while(|digit| digit.to_digit(16));
        let byte = digits.next().and_then(|high| Some(high * 16 + digits.next()?));
        let is_control = match byte {
            Some(0..=0x1f | 0x7f) => true,
            Some(0x80..=0x9f) => before == Some(0xc2),
            Some(_) | None => false,
        };
        before = byte.filter(|_| after.len() == 2);
        is_control
    })
}

fn check_known_app(text: &str, allowed: &Redirects) -> Result<(), Unacceptable> {
    let is_known = match allowed {
        Redirects::KnownApps(own) => KNOWN_APPS.contains(&text) || own.iter().any(|it| it == text),
        Redirects::HttpsOrLoopback => false,
    };
    is_known.then_some(()).ok_or(Unacceptable::Scheme)
}

/// By the parsed host, never by how the text begins.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        None => false,
    }
}

/// What a person can be told about an address that was registered.
pub fn destination(address: &Url) -> Destination<'_> {
    let host = &address[Position::BeforeHost..Position::AfterPort];
    match address.scheme() {
        "https" => Destination::Site { host },
        "http" => Destination::Computer { host },
        scheme => Destination::Scheme { scheme },
    }
}

impl Redirect {
    /// Exact match, but for the port of a loopback address. What was registered is parsed again,
    /// since the tenant's rule may have become stricter.
    pub fn for_client(asked: &str, registered: &[String], allowed: &Redirects) -> Option<Self> {
        let asked = Target::parse(asked, allowed).ok()?;
        let known = |text: &String| {
            Target::parse(text, allowed).is_ok_and(|registered| registered.matches(&asked))
        };
        registered.iter().any(known).then_some(Self(asked))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn destination(&self) -> Destination<'_> {
        destination(&self.0.url)
    }

    /// The address with an answer behind it. A space is `%20`, since not every client reads `+`.
    pub(crate) fn answer(&self, pairs: &[(&str, &str)]) -> Url {
        let mut query = self.0.url.query().unwrap_or_default().to_owned();
        for (name, value) in pairs {
            if !query.is_empty() {
                query.push('&');
            }
            query.push_str(name);
            query.push('=');
            for part in form_urlencoded::byte_serialize(value.as_bytes()) {
                query.push_str(if part == "+" { "%20" } else { part });
            }
        }
        let mut url = self.0.url.clone();
        url.set_query(Some(&query));
        url
    }
}

#[cfg(test)]
mod tests;
