//! A request's body, lent to whoever answers. What they leave of it comes back, so that a
//! connection goes on after a small rest, and a client knows that it ends after a large one.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A body of this size is on its way already when we answer.
const SMALL: u64 = 64 * 1024;

/// For the packet that is still on its way.
const MOMENT: Duration = Duration::from_millis(500);

struct Lent {
    body: Option<Incoming>,
    home: Option<oneshot::Sender<Incoming>>,
}

/// Where it comes back to; nothing where there was none.
pub(super) struct Home(Option<oneshot::Receiver<Incoming>>);

pub(super) fn lend(body: Incoming) -> (Body, Home) {
    if body.is_end_stream() {
        return (Body::empty(), Home(None));
    }
    let (home, back) = oneshot::channel();
    (Body::new(Lent { body: Some(body), home: Some(home) }), Home(Some(back)))
}

impl Home {
    /// Whether the whole body has been read, by its reader or just now by us.
    pub(super) async fn read_to_its_end(self) -> bool {
        let Some(mut back) = self.0 else { return true };
        match back.try_recv() {
            Ok(rest) => timeout(MOMENT, read(rest)).await.unwrap_or(false),
            Err(oneshot::error::TryRecvError::Closed) => true,
            // Somebody still reads it.
            Err(oneshot::error::TryRecvError::Empty) => false,
        }
    }
}

async fn read(mut rest: Incoming) -> bool {
    let mut left = SMALL;
    loop {
        if rest.size_hint().lower() > left {
            return false;
        }
        match rest.frame().await {
            None => return true,
            Some(Ok(frame)) => {
                let length = frame.data_ref().map_or(0, |data| data.len() as u64);
                let Some(rest) = left.checked_sub(length) else { return false };
                left = rest;
            }
            Some(Err(_)) => return false,
        }
    }
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if frame.is_none() {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let rest = self.body.take().filter(|it| !it.is_end_stream());
        if let (Some(rest), Some(home)) = (rest, self.home.take()) {
            // Nobody waits for it where the connection is gone.
            drop(home.send(rest));
        }
    }
}
