//! HTTP as everyone reads it the same way, which is more than the library asks for: what a proxy
//! and we could understand differently is refused. Knows no tenant and no host.

use axum::extract::Request;
use axum::http::uri::{Parts, Uri};
use axum::http::{HeaderName, Method, StatusCode, header};
use portico_vanity::Host;

use crate::dialect::Dialect;
use crate::listen::{Ambiguous, Unreadable};

const MOST_HEADERS: usize = 100;
const LARGEST_HEAD: usize = 32 * 1024;
const LONGEST_ADDRESS: usize = 16 * 1024;

const LARGE_HEAD: &str = "the headers are larger than 32 KiB";
const LONG_ADDRESS: &str = "the address is longer than 16 KiB";

/// Headers that say one thing or nothing.
const SINGLE: [(HeaderName, &str); 4] = [
    (header::HOST, "send one Host header"),
    (header::CONTENT_LENGTH, "send one Content-Length header"),
    (header::TRANSFER_ENCODING, "send one Transfer-Encoding header"),
    (header::CONTENT_TYPE, "send one Content-Type header"),
];

/// Why a request is not looked at any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) status: StatusCode,
    pub(super) words: &'static str,
}

const fn malformed(words: &'static str) -> Malformed {
    Malformed { status: StatusCode::BAD_REQUEST, words }
}

/// A request that passes has one well-formed Host, which its extensions hold, and an address
/// without one.
pub(super) fn check(request: &mut Request, dialect: Dialect) -> Result<(), Malformed> {
    if let Some(Unreadable(status)) = request.extensions().get() {
        return Err(unreadable(*status));
    }
    let methods = [Method::CONNECT, Method::TRACE];
    if methods.contains(request.method()) {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        return Err(Malformed { status, words: "this method is not served" });
    }
    size(request)?;
    if request.extensions().get::<Ambiguous>().is_some() {
        return Err(malformed(
            "the length of the body is stated more than once, or a line is not ended properly",
        ));
    }
    let headers = request.headers();
    for (name, words) in SINGLE {
        if headers.get_all(name).iter().nth(1).is_some() {
            return Err(malformed(words));
        }
    }
    if headers.contains_key(header::TRANSFER_ENCODING)
        && headers.contains_key(header::CONTENT_LENGTH)
    {
        return Err(malformed("send Content-Length or Transfer-Encoding, not both"));
    }
    // A server's own endpoint says the same with a challenge beside it.
    if dialect != Dialect::Rpc && headers.get_all(header::AUTHORIZATION).iter().nth(1).is_some() {
        return Err(malformed("send one Authorization header"));
    }
    host(request)
}

/// A head that nobody has read to its end.
fn unreadable(status: StatusCode) -> Malformed {
    let words = match status {
        StatusCode::URI_TOO_LONG => LONG_ADDRESS,
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => LARGE_HEAD,
        _ => "the request cannot be read",
    };
    Malformed { status, words }
}

fn size(request: &Request) -> Result<(), Malformed> {
    let headers = request.headers();
    if request.uri().path_and_query().is_some_and(|it| it.as_str().len() > LONGEST_ADDRESS) {
        let status = StatusCode::URI_TOO_LONG;
        return Err(Malformed { status, words: LONG_ADDRESS });
    }
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    if headers.len() > MOST_HEADERS {
        return Err(Malformed { status, words: "there are more than 100 headers" });
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > LARGEST_HEAD {
        return Err(Malformed { status, words: LARGE_HEAD });
    }
    Ok(())
}

/// A whole address, as it is sent to proxies, must be about the same host; its path is what counts.
fn host(request: &mut Request) -> Result<(), Malformed> {
    let stated = request.headers().get(header::HOST).ok_or(malformed("send a Host header"))?;
    let stated = stated.to_str().ok().and_then(Host::parse);
    let stated = stated.ok_or(malformed("the Host header is no host"))?;
    if let Some(authority) = request.uri().authority() {
        if Host::parse(authority.as_str()).as_ref() != Some(&stated) {
            return Err(malformed("the address and the Host header name different hosts"));
        }
        let mut parts = Parts::default();
        parts.path_and_query = request.uri().path_and_query().cloned();
        *request.uri_mut() =
            Uri::from_parts(parts).map_err(|_| malformed("the address cannot be read"))?;
    }
    request.extensions_mut().insert(stated);
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn told(dialect: Dialect, uri: &str, headers: &[(&str, &str)]) -> String {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        match check(&mut request, dialect) {
            Ok(()) => request.uri().to_string(),
            Err(Malformed { status, words }) => format!("{} {words}", status.as_u16()),
        }
    }

    // sec:A03, sec:A05, sec:A06, sec:I04, sec:M-2
    #[test]
    fn what_could_be_understood_in_two_ways_is_refused() {
        let good = ("Host", "mcp.test");
        for (uri, headers, expected) in [
            ("/mcp/a?b=c", &[good][..], "/mcp/a?b=c"),
            ("http://mcp.test/mcp/a?b=c", &[good], "/mcp/a?b=c"),
            ("http://MCP.TEST/mcp", &[good], "/mcp"),
            (
                "http://evil.test/mcp",
                &[good],
                "400 the address and the Host header name different hosts",
            ),
            (
                "http://mcp.test:81/mcp",
                &[good],
                "400 the address and the Host header name different hosts",
            ),
            ("/", &[], "400 send a Host header"),
            ("/", &[good, ("Host", "evil.test")], "400 send one Host header"),
            ("/", &[("Host", "u@evil")], "400 the Host header is no host"),
            (
                "/",
                &[good, ("Content-Type", "a/b"), ("Content-Type", "a/b")],
                "400 send one Content-Type header",
            ),
            (
                "/",
                &[good, ("Content-Length", "1"), ("Transfer-Encoding", "chunked")],
                "400 send Content-Length or Transfer-Encoding, not both",
            ),
            (
                "/",
                &[good, ("Authorization", "a"), ("Authorization", "a")],
                "400 send one Authorization header",
            ),
        ] {
            assert_eq!(told(Dialect::Page, uri, headers), expected, "{uri} {headers:?}");
        }
    }

    // sec:N05
    #[test]
    fn a_head_is_only_so_large() {
        let good = ("Host", "mcp.test");
        let many = vec![("X", "y"); 100];
        let long = "x".repeat(40_000);
        assert_eq!(told(Dialect::Rpc, "/", &[&many[..99], &[good]].concat()), "/");
        assert_eq!(
            told(Dialect::Rpc, "/", &[&many[..], &[good]].concat()),
            "431 there are more than 100 headers"
        );
        assert_eq!(
            told(Dialect::Rpc, "/", &[good, ("X", &long)]),
            "431 the headers are larger than 32 KiB"
        );
        assert_eq!(
            told(Dialect::Rpc, &format!("/{long}"), &[good]),
            "414 the address is longer than 16 KiB"
        );
    }
}
