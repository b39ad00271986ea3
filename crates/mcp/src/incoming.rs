//! What a body brings: one message, or a batch of them where the revision has batches.
//! Refuses to read anything of an element but what `message` reads.

use std::fmt;

use http::HeaderMap;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::body::{self, Envelope};
use crate::error::Rejection;
use crate::header::{self, Field};
use crate::message::{self, CallTool, Message, Method, Request};
use crate::version::Revision;

/// More than any client sends; each may be a call.
const MOST: usize = 50;

/// What one body brings.
#[derive(Debug)]
pub enum Incoming<'b> {
    One(Message<'b>),
    /// In the order of the body. What is wrong with one of them is told in its place.
    Batch(Vec<Result<Message<'b>, Rejection>>),
}

impl<'b> Incoming<'b> {
    /// The tool's call that it asks for, if it is one message and asks for one.
    pub fn call(&self) -> Option<&CallTool<'b>> {
        match self {
            Self::One(message) => message.call(),
            Self::Batch(_) => None,
        }
    }
}

/// Reads a POST's body and the headers that repeat it.
///
/// A rejection is for the sender's eyes only once its token has been found good.
pub fn read<'b>(headers: &HeaderMap, body: &'b [u8]) -> Result<Incoming<'b>, Rejection> {
    let document = body::document(body)?;
    if body::is_array(document) {
        return batch(headers, document).map(Incoming::Batch);
    }
    let message = message::message(headers, &body::object(document)?)?;
    // Also what nobody reads: whoever stands behind us may read all of it.
    body::affordable(document).map_err(|rejection| match &message {
        Message::Request(request) => rejection.answering(&request.id),
        Message::Notice => rejection,
    })?;
    Ok(Incoming::One(message))
}

fn batch<'b>(
    headers: &HeaderMap,
    document: &'b RawValue,
) -> Result<Vec<Result<Message<'b>, Rejection>>, Rejection> {
    let revision = match header::version(headers) {
        Field::Absent => Some(Revision::UNSTATED),
        Field::Broken => None,
        Field::Text(date) => Revision::find(date),
    };
    if !revision.is_some_and(Revision::has_batches) {
        return Err(body::invalid("this revision of the protocol has no batches"));
    }
    let elements = elements(document)?;
    let envelopes: Vec<Result<Envelope<'b>, Rejection>> =
        elements.into_iter().map(affordable_object).collect();
    // Before any of them is answered: such a client could not read the answer.
    if envelopes.iter().flatten().any(|it| message::is_per_request(headers, it)) {
        return Err(body::invalid("a request that states its revision does not come in a batch"));
    }
    Ok(envelopes.into_iter().map(|envelope| element(headers, &envelope?)).collect())
}

fn affordable_object(element: &RawValue) -> Result<Envelope<'_>, Rejection> {
    body::affordable(element)?;
    body::object(element)
}

fn element<'b>(headers: &HeaderMap, envelope: &Envelope<'b>) -> Result<Message<'b>, Rejection> {
    let message = message::message(headers, envelope)?;
    if let Message::Request(Request { id, method: Method::Initialize, .. }) = &message {
        return Err(body::invalid("initialize does not come in a batch").answering(id));
    }
    Ok(message)
}

fn elements(document: &RawValue) -> Result<Vec<&RawValue>, Rejection> {
    let Few(elements) = serde_json::from_str(document.get())
        .map_err(|_| body::invalid("a batch has 50 messages at most"))?;
    if elements.is_empty() {
        return Err(body::invalid("the batch is empty"));
    }
    Ok(elements)
}

/// So many elements of an array and no more. One that is too long is passed over without being
/// kept.
struct Few<'b>(Vec<&'b RawValue>);

impl<'de: 'b, 'b> Deserialize<'de> for Few<'b> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(FewVisitor).map(Self)
    }
}

struct FewVisitor;

impl<'de> Visitor<'de> for FewVisitor {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MOST} elements at most")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while elements.len() < MOST {
            match from.next_element()? {
                Some(element) => elements.push(element),
                None => return Ok(elements),
            }
        }
        match from.next_element::<IgnoredAny>()? {
            None => Ok(elements),
            Some(_) => Err(serde::de::Error::invalid_length(MOST + 1, &self)),
        }
    }
}

#[cfg(test)]
mod tests;
