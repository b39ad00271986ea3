//! A socket whose other side has only so long: to finish a head that it began, and to take what it
//! is sent. Knows no HTTP beyond where a head ends.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::head::Head;
use super::link::Link;
use super::unread::Unread;

#[derive(Debug)]
pub(super) struct Patient {
    stream: TcpStream,
    link: Arc<Link>,
    head: Head,
    /// Of the body that follows the last head; `None`: it is in chunks.
    body_left: Option<u64>,
    /// The turn that `head` belongs to.
    turn: u32,
    head_limit: Deadline,
    write_limit: Deadline,
    has_ended: bool,
    unread: Option<Unread>,
}

impl Patient {
    /// The first head is waited for from now on; later ones from their first byte.
    pub(super) fn new(stream: TcpStream, link: Arc<Link>, head: Duration, write: Duration) -> Self {
        let turn = link.turns();
        let mut head_limit = Deadline::of(head);
        head_limit.begin();
        let write_limit = Deadline::of(write);
        let head = Head::default();
        let (body_left, has_ended) = (Some(0), false);
        let unread = None;
        Self { stream, link, head, body_left, turn, head_limit, write_limit, has_ended, unread }
    }

    /// The request that the library did not read, and wanted to say so without any words.
    pub(super) fn take_unread(&mut self) -> Option<Unread> {
        self.unread.take()
    }

    /// Whether the other side has said that nothing more comes.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(super) fn into_stream(self) -> TcpStream {
        self.stream
    }

    fn arrived(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            self.has_ended = true;
            return;
        }
        if self.link.is_busy() {
            self.belongs_to_body(bytes);
            return;
        }
        let had_ended = self.head.has_ended();
        let rest = self.head.read(bytes);
        if self.head.has_begun() {
            self.head_limit.begin();
            self.link.tell_begun(true);
        }
        self.link.tell_ambiguous(self.head.is_ambiguous());
        if self.head.has_ended() {
            if !had_ended {
                self.body_left = self.head.body();
            }
            self.belongs_to_body(rest);
        }
    }

    /// A request that comes before the one in front of it was answered is not read: the library
    /// has it already, and nobody looked at how its head reads. Where the length of a body is not
    /// known, every byte may be of one.
    fn belongs_to_body(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self.body_left.map(|left| left.checked_sub(length)) {
            Some(Some(left)) => self.body_left = Some(left),
            Some(None) | None => self.link.tell_early(),
        }
    }

    /// Whether a request has come in since the last time that anybody looked.
    fn turn_over(&mut self) {
        let turn = self.link.turns();
        if turn != self.turn {
            self.turn = turn;
            self.head = Head::default();
            self.head_limit.end();
            self.link.tell_begun(false);
        }
    }

    /// Whether it is what the library says by itself, of a head that it hands to nobody.
    fn is_refusal(&mut self, bytes: &[u8]) -> bool {
        if self.link.is_busy() || self.link.turns() != self.turn || !self.head.has_begun() {
            return false;
        }
        self.unread = Unread::of(bytes, self.head.line());
        self.unread.is_some()
    }

    fn wrote<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_limit.end();
            return written;
        }
        self.write_limit.begin();
        if self.write_limit.has_passed(cx) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.turn_over();
        let before = into.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, into) {
            Poll::Ready(Ok(())) => {
                self.arrived(into.filled().get(before..).unwrap_or_default());
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending if !self.link.is_busy() && self.head_limit.has_passed(cx) => {
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_refusal(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.wrote(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [bytes] = pieces
            && self.is_refusal(bytes)
        {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.wrote(cx, written)
    }
}

/// A moment by which something must have happened, while it is waited for.
#[derive(Debug)]
struct Deadline {
    after: Duration,
    is_running: bool,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    fn of(after: Duration) -> Self {
        Self { after, is_running: false, sleep: None }
    }

    /// One that runs already goes on.
    fn begin(&mut self) {
        if self.is_running {
            return;
        }
        self.is_running = true;
        let at = Instant::now() + self.after;
        match &mut self.sleep {
            Some(sleep) => sleep.as_mut().reset(at),
            None => self.sleep = Some(Box::pin(sleep_until(at))),
        }
    }

    fn end(&mut self) {
        self.is_running = false;
    }

    fn has_passed(&mut self, cx: &mut Context<'_>) -> bool {
        self.is_running
            && self.sleep.as_mut().is_some_and(|sleep| sleep.as_mut().poll(cx).is_ready())
    }
}
