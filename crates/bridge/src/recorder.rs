//! Where calls are handed over to be recorded. A call has its place in the queue before it runs,
//! so that whatever runs can be recorded; a caller that goes away leaves a row as well.

use std::time::{Duration, Instant};

use portico_model::{ConnectionId, Outcome, TenantId};
use portico_storage::call::Call;
use tokio::sync::mpsc::{self, OwnedPermit};

use crate::{Journal, Reason, redaction};

/// Rows that may wait. A row is at most about 32 KiB.
const ROOM: usize = 2_048;

/// How long a call waits for room before it is refused.
const PATIENCE: Duration = Duration::from_millis(250);

/// The record is behind: what comes in is more than the database takes.
#[derive(Debug, thiserror::Error)]
#[error("the record of calls is full")]
pub struct Overloaded;

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
            Ok(Err(_)) | Err(_) => Err(Overloaded),
        }
    }
}

/// A call that has begun and will be a row, however it ends.
pub(crate) struct Begun(Option<Draft>);

struct Draft {
    place: OwnedPermit<Entry>,
    started: Instant,
    call: Call,
}

impl Begun {
    /// `call` says everything but how it ended.
    pub(crate) fn new(place: OwnedPermit<Entry>, started: Instant, call: Call) -> Self {
        Self(Some(Draft { place, started, call }))
    }

    /// The call as it is now known; what comes later replaces it.
    pub(crate) fn note(&mut self, change: impl FnOnce(&mut Call)) {
        if let Some(draft) = &mut self.0 {
            change(&mut draft.call);
        }
    }

    /// The row, for who writes it in a transaction of their own.
    pub(crate) fn row(&self, ending: &Ending<'_>) -> Option<Call> {
        self.0.as_ref().map(|draft| finished(draft.call.clone(), draft.started, ending))
    }

    /// Hands the row over.
    pub(crate) fn end(mut self, ending: &Ending<'_>) {
        if let Some(Draft { place, started, call }) = self.0.take() {
            place.send(Entry::Call(Box::new(finished(call, started, ending))));
        }
    }

    /// The row is in the database.
    pub(crate) fn end_written(mut self) {
        if let Some(Draft { place, call, .. }) = self.0.take() {
            place.send(Entry::Written(call.tenant, call.connection));
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(Draft { place, started, call }) = self.0.take() {
            let call = finished(call, started, &Ending::abandoned());
            place.send(Entry::Call(Box::new(call)));
        }
    }
}

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Ending<'e> {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<Reason>,
    pub(crate) answer: &'e str,
}

impl Ending<'static> {
    /// Without an answer for a model to read.
    pub(crate) const fn refused(reason: Reason) -> Self {
        Self { outcome: Outcome::Refused, reason: Some(reason), answer: "" }
    }

    pub(crate) const fn outage() -> Self {
        Self { outcome: Outcome::Failed, reason: Some(Reason::Outage), answer: "" }
    }

    const fn abandoned() -> Self {
        Self { outcome: Outcome::Failed, reason: Some(Reason::Abandoned), answer: "" }
    }
}

fn finished(call: Call, started: Instant, ending: &Ending<'_>) -> Call {
    Call {
        outcome: ending.outcome,
        reason: ending.reason.map(|reason| reason.as_str().to_owned()),
        answer: redaction::bounded(ending.answer),
        duration_us: i64::try_from(started.elapsed().as_micros()).unwrap_or(i64::MAX),
        ..call
    }
}

#[cfg(test)]
mod tests;
