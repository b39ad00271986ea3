//! A request that the HTTP library did not read, and refuses with an empty answer. It is answered in
//! the words of its address instead, as every other.

use std::io::Cursor;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::ServiceExt as _;

use super::connection::Peer;

/// What the library says of it, and what it asked for, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unread {
    why: Unreadable,
    method: Method,
    path: String,
}

/// The status with which nobody has read the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) StatusCode);

/// What the library can have against a head.
const STATUSES: [StatusCode; 3] = [
    StatusCode::BAD_REQUEST,
    StatusCode::URI_TOO_LONG,
    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
];

impl Unread {
    /// `answer` is the library's, `line` the beginning of the request line. No answer of ours has
    /// such a status and nothing to say.
    pub(super) fn of(answer: &[u8], line: &str) -> Option<Self> {
        let answer = std::str::from_utf8(answer).ok()?;
        let status = answer.strip_prefix("HTTP/1.1 ")?.get(..3)?;
        let status = STATUSES.into_iter().find(|it| it.as_str() == status)?;
        if !answer.contains("content-length: 0\r\n") {
            return None;
        }
        let mut words = line.split(' ');
        let method = words.next().and_then(|word| word.parse().ok());
        let target = words.next().and_then(|word| word.parse::<Uri>().ok());
        let method = method.filter(|it| [Method::GET, Method::POST].contains(it));
        let path = target.map(|it| it.path().to_owned()).filter(|it| it.starts_with('/'));
        Some(Self {
            why: Unreadable(status),
            method: method.unwrap_or(Method::GET),
            path: path.unwrap_or_else(|| "/".to_owned()),
        })
    }

    /// Says so, and gives the socket back. Nothing of what was sent is passed on but the address.
    pub(super) async fn answer(
        self,
        stream: TcpStream,
        router: Router,
        peer: Peer,
        patience: Duration,
    ) -> Option<TcpStream> {
        let Self { why, method, path } = self;
        let request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n\r\n");
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(why);
            router.clone().oneshot(request)
        });
        let io = tokio::io::join(Cursor::new(request), stream);
        // It was sent whole, and is answered all the same.
        let mut conn =
            http1::Builder::new().half_close(true).serve_connection(TokioIo::new(io), service);
        let said = std::future::poll_fn(|cx| conn.poll_without_shutdown(cx));
        match tokio::time::timeout(patience, said).await {
            Ok(Ok(())) => Some(conn.into_parts().io.into_inner().into_inner().1),
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // sec:N05
    #[test]
    fn only_the_librarys_own_refusals_are_taken_for_such() {
        let said = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        let unread = |answer: &str, line: &str| {
            Unread::of(answer.as_bytes(), line)
                .map(|it| format!("{} {} {}", it.why.0.as_u16(), it.method, it.path))
        };
        for (answer, line, expected) in [
            (said("431 Large"), "POST /oauth/token HTTP/1.1", Some("431 POST /oauth/token")),
            (said("414 Long"), "GET /mcp/aaaa", Some("414 GET /mcp/aaaa")),
            (said("400 Bad"), "GET http://a.test/mcp/b?c HTTP/0.9", Some("400 GET /mcp/b")),
            (said("400 Bad"), "\u{1}", Some("400 GET /")),
            (said("400 Bad"), "DELETE * HTTP/1.1", Some("400 GET /")),
            (said("404 Not Found"), "GET / HTTP/1.1", None),
            ("HTTP/1.1 400 Bad\r\ncontent-length: 2\r\n\r\n{}".to_owned(), "GET /", None),
        ] {
            assert_eq!(unread(&answer, line).as_deref(), expected, "{answer:?} {line:?}");
        }
    }
}
