//! What the parts of one connection tell each other: whether a request is under way, how its head
//! read, and that it is time to go.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// Relaxed, since none of these stands for another: the connection's own task writes all of them,
/// and whoever looks from outside may see one a moment late, and be right about that moment.
#[derive(Debug, Default)]
pub(super) struct Link {
    is_busy: AtomicBool,
    /// Requests so far.
    turns: AtomicU32,
    is_ambiguous: AtomicBool,
    /// Part of a head has come, and not the whole.
    has_begun: AtomicBool,
    /// More came than the request under way.
    is_early: AtomicBool,
    leave: Notify,
}

impl Link {
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Relaxed)
    }

    pub(super) fn turns(&self) -> u32 {
        self.turns.load(Relaxed)
    }

    pub(super) fn tell_ambiguous(&self, is_ambiguous: bool) {
        self.is_ambiguous.store(is_ambiguous, Relaxed);
    }

    pub(super) fn tell_begun(&self, has_begun: bool) {
        self.has_begun.store(has_begun, Relaxed);
    }

    /// Whether the other side is in the middle of a head, or has never said anything.
    pub(super) fn owes_a_head(&self) -> bool {
        !self.is_busy() && (self.has_begun.load(Relaxed) || self.turns() == 0)
    }

    pub(super) fn tell_early(&self) {
        self.is_early.store(true, Relaxed);
    }

    pub(super) fn is_early(&self) -> bool {
        self.is_early.load(Relaxed)
    }

    /// A request's head has been read; the answer says whether it could be read in two ways. Busy
    /// until the answer that is put into [`Busy::until_sent`] is sent.
    pub(super) fn begin(self: &Arc<Self>) -> (Busy, bool) {
        self.is_busy.store(true, Relaxed);
        self.turns.fetch_add(1, Relaxed);
        (Busy(Arc::clone(self)), self.is_ambiguous.swap(false, Relaxed))
    }

    /// Asks the connection to end: at once if it only waits, else after the answer under way.
    pub(super) fn ask_to_leave(&self) {
        self.leave.notify_one();
    }

    pub(super) async fn asked_to_leave(&self) {
        self.leave.notified().await;
    }
}

/// A request that is under way.
#[derive(Debug)]
pub(super) struct Busy(Arc<Link>);

impl Busy {
    pub(super) fn until_sent(self, body: Body) -> Sent {
        Sent { body, _busy: self }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.is_busy.store(false, Relaxed);
    }
}

/// An answer's body, which is dropped when its last byte was handed over.
#[derive(Debug)]
pub(super) struct Sent {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
