//! The bytes of a request: as much as a stranger may send, and the rest once the token was checked.
//! Refuses to know what is in them.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use portico_mcp::{Code, Rejection};

use crate::media::{self, JSON, PATIENCE};

/// Read before anything is known of the sender.
const SMALL: usize = 64 * 1024;

/// Never more than this.
const LARGEST: usize = 1024 * 1024;

/// What has arrived so far.
pub(super) enum Arrived {
    All(Bytes),
    /// More than a stranger may send.
    Part(Rest),
}

/// A body of which a part has been read.
pub(super) struct Rest {
    read: BytesMut,
    body: Body,
}

/// Reads up to what a stranger may send.
pub(super) async fn begin(headers: &HeaderMap, body: Body) -> Result<Arrived, Rejection> {
    if !media::is(headers, JSON) {
        return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json"));
    }
    let mut rest = Rest { read: BytesMut::new(), body };
    match in_time(rest.read_up_to(SMALL)).await? {
        Progress::Ended => Ok(Arrived::All(rest.read.freeze())),
        Progress::Full => Ok(Arrived::Part(rest)),
    }
}

enum Progress {
    Ended,
    Full,
}

impl Rest {
    /// Reads on to the end, for a sender whose token is good.
    pub(super) async fn finish(mut self) -> Result<Bytes, Rejection> {
        match in_time(self.read_up_to(LARGEST)).await? {
            Progress::Ended => Ok(self.read.freeze()),
            Progress::Full => {
                Err(refused(StatusCode::PAYLOAD_TOO_LARGE, "a message is 1 MiB at most"))
            }
        }
    }

    async fn read_up_to(&mut self, most: usize) -> Result<Progress, Rejection> {
        while self.read.len() <= most {
            match self.body.frame().await {
                None => return Ok(Progress::Ended),
                Some(Ok(frame)) => {
                    if let Some(data) = frame.data_ref() {
                        self.read.extend_from_slice(data);
                    }
                }
                Some(Err(_)) => {
                    return Err(refused(StatusCode::BAD_REQUEST, "the body did not arrive"));
                }
            }
        }
        Ok(Progress::Full)
    }
}

async fn in_time(
    reading: impl Future<Output = Result<Progress, Rejection>>,
) -> Result<Progress, Rejection> {
    tokio::time::timeout(PATIENCE, reading).await.unwrap_or_else(|_| {
        Err(refused(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"))
    })
}

fn refused(status: StatusCode, why: &str) -> Rejection {
    Rejection::new(status, Code::InvalidRequest, format!("Invalid request: {why}"))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    fn json() -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers
    }

    async fn arrived(length: usize) -> &'static str {
        match begin(&json(), Body::from(vec![b' '; length])).await {
            Ok(Arrived::All(bytes)) if bytes.len() == length => "all",
            Ok(Arrived::All(_)) => "less",
            Ok(Arrived::Part(rest)) => match rest.finish().await {
                Ok(bytes) if bytes.len() == length => "all, later",
                Ok(_) => "less, later",
                Err(_) => "refused",
            },
            Err(_) => "refused at once",
        }
    }

    // sec:J11, sec:J12
    #[tokio::test]
    async fn a_large_body_waits_and_a_larger_one_is_refused() {
        for (length, expected) in [
            (0, "all"),
            (SMALL, "all"),
            (SMALL + 1, "all, later"),
            (LARGEST, "all, later"),
            (LARGEST + 1, "refused"),
        ] {
            assert_eq!(arrived(length).await, expected, "{length}");
        }
    }
}
