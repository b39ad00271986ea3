//! What bodies are, by their content type, how large a form may be, and how long one may take. The
//! framework's own refusals are plain text, which no caller here expects.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::LengthLimitError;

pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
pub(crate) const JSON: &str = "application/json";

/// Far above what any form of a page or of the protocol holds.
pub(crate) const LARGEST_FORM: usize = 16 * 1024;

/// A sender that trickles holds a connection no longer than this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Why a body is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incomplete {
    Late,
    TooLarge,
    /// It did not arrive whole, or not as a body is written.
    Cut,
}

/// The whole body, of at most so many bytes.
pub(crate) async fn read(body: Body, most: usize, patience: Duration) -> Result<Bytes, Incomplete> {
    match tokio::time::timeout(patience, to_bytes(body, most)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) if error.source().is_some_and(<dyn Error>::is::<LengthLimitError>) => {
            Err(Incomplete::TooLarge)
        }
        Ok(Err(_)) => Err(Incomplete::Cut),
        Err(_) => Err(Incomplete::Late),
    }
}

/// Whether the body is of that type, whatever parameters follow it. Two types are none.
pub(crate) fn is(headers: &HeaderMap, expected: &str) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let value = values.next().and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(expected))
        && values.next().is_none()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::http::HeaderValue;
    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn a_body_is_whole_in_time_and_small_enough_or_not_there() {
        let never = || Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let read = |body, most| read(body, most, Duration::from_millis(1));

        assert_eq!(read(Body::from("abc"), 3).await, Ok(Bytes::from("abc")));
        assert_eq!(read(Body::from("abc"), 2).await, Err(Incomplete::TooLarge));
        let torn = || Body::from_stream(stream::iter([Err::<Bytes, _>("torn")]));
        assert_eq!(read(torn(), 3).await, Err(Incomplete::Cut));
        assert_eq!(read(never(), 3).await, Err(Incomplete::Late));
    }

    // mcp:H8, sec:J22
    #[test]
    fn a_body_has_one_type_whatever_its_parameters() {
        for (values, is_json) in [
            (&["application/json"][..], true),
            (&["Application/JSON; charset=utf-8"], true),
            (&["text/plain"], false),
            (&["application/x-www-form-urlencoded"], false),
            (&["application/jsonp"], false),
            (&["text/plain, application/json"], false),
            (&["application/json", "text/plain"], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::CONTENT_TYPE, HeaderValue::from_static(value));
            }
            assert_eq!(is(&headers, JSON), is_json, "{values:?}");
        }
    }
}
