//! Where calls are handed over to be recorded. A call has its place in the queue before it runs,
//! so that whatever runs can be recorded; a caller that goes away leaves a row as well.

use std::time::{Duration, Instant};

use portico_model::{ConnectionId, TenantId};
use portico_storage::call::Call;
use tokio::sync::mpsc::{self, OwnedPermit};

use crate::{Journal, Reason, Reply, redaction};

/// Rows that may wait. A row is at most about 32 KiB.
const ROOM: usize = 2_048;

/// How long a call waits for room before it is refused.
const PATIENCE: Duration = Duration::from_millis(250);

/// Why a call is not made now that may be made later: it could not be recorded, or not counted.
#[derive(Debug, thiserror::Error)]
pub enum Overloaded {
    /// More comes in than the database takes.
    #[error("the record of calls is full")]
    Full,
    /// Nobody writes it any more: the process is ending.
    #[error("the record of calls is closed")]
    Closed,
    /// Another call of the connection asked for more of the minute's calls, and had no answer.
    #[error("the limit of calls cannot be asked for")]
    Unmeasured,
}

/// What the journal is told.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A call that is still to be written.
    Call(Box<Call>),
    /// A call that was written with what it did.
    Written(TenantId, ConnectionId),
}

/// Cheap to clone. The journal ends when the last one is gone.
#[derive(Clone, Debug)]
pub struct Recorder(mpsc::Sender<Entry>);

impl Recorder {
    pub fn new() -> (Self, Journal) {
        let (sender, receiver) = mpsc::channel(ROOM);
        (Self(sender), Journal::new(receiver))
    }

    /// Takes a place for a call.
    pub(crate) async fn reserve(&self) -> Result<OwnedPermit<Entry>, Overloaded> {
        match tokio::time::timeout(PATIENCE, self.0.clone().reserve_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(Overloaded::Closed),
            Err(_) => Err(Overloaded::Full),
        }
    }
}

/// A call that has begun and will be a row, however it ends: it is handed over when this is
/// dropped.
pub(crate) struct Begun(Option<Draft>);

struct Draft {
    place: OwnedPermit<Entry>,
    started: Instant,
    call: Call,
    is_written: bool,
}

impl Begun {
    /// `call` is the row as it stays if nobody says how the call ended.
    pub(crate) fn new(place: OwnedPermit<Entry>, started: Instant, call: Call) -> Self {
        Self(Some(Draft { place, started, call, is_written: false }))
    }

    /// The call as it is now known; what comes later replaces it.
    pub(crate) fn note(&mut self, change: impl FnOnce(&mut Call)) {
        if let Some(draft) = &mut self.0 {
            change(&mut draft.call);
        }
    }

    /// The row with that reply, for who writes it in a transaction of their own.
    pub(crate) fn row(&self, reply: &Reply) -> Option<Call> {
        let draft = self.0.as_ref()?;
        let mut call = draft.call.clone();
        finish(&mut call, reply);
        call.duration_us = since(draft.started);
        Some(call)
    }

    /// The row is in the database; nothing that follows changes it.
    pub(crate) const fn written(&mut self) {
        if let Some(draft) = &mut self.0 {
            draft.is_written = true;
        }
    }

    pub(crate) fn end(mut self, reply: &Reply) {
        self.note(|call| finish(call, reply));
    }

    /// Ends it without an answer for a model to read.
    pub(crate) fn refuse(self, reason: Reason) {
        self.end(&Reply::refused(reason, String::new()));
    }

    /// Ends it with no answer at all.
    pub(crate) fn fail(mut self, reason: Reason) {
        self.note(|call| call.reason = Some(reason.as_str()));
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let Some(Draft { place, started, mut call, is_written }) = self.0.take() else { return };
        place.send(if is_written {
            Entry::Written(call.tenant, call.connection)
        } else {
            call.duration_us = since(started);
            Entry::Call(Box::new(call))
        });
    }
}

fn finish(call: &mut Call, reply: &Reply) {
    let (outcome, reason) = reply.outcome();
    call.outcome = outcome;
    call.reason = reason.map(Reason::as_str);
    call.answer = redaction::bounded(&reply.text);
}

fn since(started: Instant) -> i64 {
    i64::try_from(started.elapsed().as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
