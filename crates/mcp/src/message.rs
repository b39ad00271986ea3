//! Reading one message: its shape, its era, what its revision demands of it, and what it asks for.
//! Refuses to look into a tool's arguments beyond `workspace`, and to know which tools there are.

use std::borrow::Cow;

use http::{HeaderMap, StatusCode};
use serde_json::value::RawValue;

use crate::body::{self, Arguments, Envelope, Meta, Params};
use crate::error::{Code, Rejection, clip};
use crate::header::{self, Field};
use crate::id::Id;
use crate::version::{Era, Revision, Verb};

/// A message that is well formed for its revision.
#[derive(Debug)]
pub enum Message<'b> {
    Request(Request<'b>),
    /// A notification, or an old client's response: taken note of with an empty 202.
    Notice,
}

#[derive(Debug)]
pub struct Request<'b> {
    pub id: Id,
    /// What the answer is written in; for `initialize`, what was agreed on.
    pub revision: Revision,
    pub method: Method<'b>,
}

#[derive(Debug)]
pub enum Method<'b> {
    Initialize,
    Ping,
    Discover,
    ListTools,
    CallTool(CallTool<'b>),
}

#[derive(Debug)]
pub struct CallTool<'b> {
    pub name: Cow<'b, str>,
    /// An object, or absent.
    pub arguments: Option<&'b RawValue>,
    /// `arguments.workspace`, if it is text.
    pub workspace: Option<Cow<'b, str>>,
}

impl<'b> Message<'b> {
    /// The tool's call that it asks for, if it asks for one.
    pub(crate) fn call(&self) -> Option<&CallTool<'b>> {
        match self {
            Self::Request(Request { method: Method::CallTool(call), .. }) => Some(call),
            Self::Request(Request {
                method: Method::Initialize | Method::Ping | Method::Discover | Method::ListTools,
                ..
            })
            | Self::Notice => None,
        }
    }
}

/// Reads one message and the headers that repeat it.
pub(crate) fn message<'b>(
    headers: &HeaderMap,
    envelope: &Envelope<'b>,
) -> Result<Message<'b>, Rejection> {
    let id = identify(envelope)?;
    let message = match &id {
        Some(id) => request(headers, envelope, id).map(Message::Request),
        None => notice(headers, envelope).map(|()| Message::Notice),
    };
    message.map_err(|rejection| match &id {
        Some(id) => rejection.answering(id),
        None => rejection,
    })
}

/// Whether a message, as far as it can be read, is one that says its revision by itself.
pub(crate) fn is_per_request(headers: &HeaderMap, envelope: &Envelope<'_>) -> bool {
    let era = method(envelope).and_then(|method| era(headers, &method, &params(envelope)?));
    era.is_ok_and(|era| era == Era::PerRequest)
}

/// The id of a request; none for what expects no answer.
fn identify(envelope: &Envelope<'_>) -> Result<Option<Id>, Rejection> {
    if envelope.method.is_none() && is_response(envelope) {
        return Ok(None);
    }
    let Some(raw) = envelope.id else {
        return Ok(None);
    };
    let id = Id::read(raw).ok_or_else(|| body::invalid("the id is not a string or an integer"))?;
    Ok(Some(id))
}

fn is_response(envelope: &Envelope<'_>) -> bool {
    envelope.result.is_some() || envelope.error.is_some()
}

fn request<'b>(
    headers: &HeaderMap,
    envelope: &Envelope<'b>,
    id: &Id,
) -> Result<Request<'b>, Rejection> {
    let method = method(envelope)?;
    let params = params(envelope)?;
    let revision = match era(headers, &method, &params)? {
        Era::Handshake => handshake_revision(headers, &method)?,
        Era::PerRequest => per_request_revision(headers, &method, &params)?,
    };
    let Some(verb) = revision.verb(&method) else {
        return Err(unknown_method(revision, &method));
    };
    let request = |revision, method| Request { id: id.clone(), revision, method };
    match verb {
        Verb::Initialize => Ok(request(initialize(&params)?, Method::Initialize)),
        Verb::Ping => Ok(request(revision, Method::Ping)),
        Verb::Discover => Ok(request(revision, Method::Discover)),
        Verb::ListTools => Ok(request(revision, list_tools(&params)?)),
        Verb::CallTool => Ok(request(revision, Method::CallTool(call_tool(&params)?))),
    }
}

/// What expects no answer: accepted, unless its shape or its version header is wrong.
fn notice(headers: &HeaderMap, envelope: &Envelope<'_>) -> Result<(), Rejection> {
    if envelope.method.is_some() {
        method(envelope)?;
        params(envelope)?;
    } else {
        check_jsonrpc(envelope)?;
        if !is_response(envelope) {
            return Err(body::invalid("the method is missing"));
        }
    }
    match header::version(headers) {
        Field::Text(date) if date >= Revision::FIRST_PER_REQUEST => {
            if envelope.method.is_none() {
                return Err(body::invalid("responses are not taken"));
            }
            Revision::find(date).map(drop).ok_or_else(|| Rejection::unsupported_version(date))
        }
        Field::Absent | Field::Broken | Field::Text(_) => handshake_revision(headers, "").map(drop),
    }
}

fn check_jsonrpc(envelope: &Envelope<'_>) -> Result<(), Rejection> {
    match envelope.jsonrpc.and_then(body::string).as_deref() {
        Some("2.0") => Ok(()),
        Some(_) | None => Err(body::invalid("jsonrpc is not \"2.0\"")),
    }
}

fn method<'b>(envelope: &Envelope<'b>) -> Result<Cow<'b, str>, Rejection> {
    check_jsonrpc(envelope)?;
    let raw = envelope.method.ok_or_else(|| body::invalid("the method is missing"))?;
    body::string(raw).ok_or_else(|| body::invalid("the method is not a string"))
}

fn params<'b>(envelope: &Envelope<'b>) -> Result<Params<'b>, Rejection> {
    let Some(raw) = envelope.params else {
        return Ok(Params::default());
    };
    if !body::is_object(raw) {
        return Err(body::invalid("params is not an object"));
    }
    body::affordable(raw)?;
    body::object(raw)
}

fn meta<'b>(params: &Params<'b>) -> Result<Meta<'b>, Rejection> {
    match params.meta {
        Some(raw) if body::is_object(raw) => body::object(raw),
        Some(_) | None => Ok(Meta::default()),
    }
}

/// `Mcp-Method` and `Mcp-Name` prove nothing: bridges for old clients send them too.
fn era(headers: &HeaderMap, method: &str, params: &Params<'_>) -> Result<Era, Rejection> {
    let stated = meta(params)?.version.is_some();
    let dated = match header::version(headers) {
        Field::Text(date) => date >= Revision::FIRST_PER_REQUEST,
        Field::Absent | Field::Broken => false,
    };
    let modern = match method {
        "initialize" => stated,
        "server/discover" => true,
        _ => stated || dated,
    };
    Ok(if modern { Era::PerRequest } else { Era::Handshake })
}

fn handshake_revision(headers: &HeaderMap, method: &str) -> Result<Revision, Rejection> {
    if method == "initialize" {
        // The body settles the version here, and the header is only sent from then on.
        return Ok(Revision::NEWEST_HANDSHAKE);
    }
    let unserved = |date: &str| {
        let message = format!("Unsupported protocol version: {}", clip(date));
        Rejection::bad_request(Code::InvalidRequest, message)
    };
    match header::version(headers) {
        Field::Absent => Ok(Revision::UNSTATED),
        Field::Broken => Err(unserved("malformed MCP-Protocol-Version header")),
        Field::Text(date) => Revision::find(date).ok_or_else(|| unserved(date)),
    }
}

/// Envelope, then version, then the other headers: the order in which clients expect to be told.
fn per_request_revision(
    headers: &HeaderMap,
    method: &str,
    params: &Params<'_>,
) -> Result<Revision, Rejection> {
    let missing = |what: &str| {
        let message = format!("Invalid params: _meta has no valid io.modelcontextprotocol/{what}");
        Rejection::bad_request(Code::InvalidParams, message)
    };
    let meta = meta(params)?;
    let stated = meta.version.and_then(body::string).ok_or_else(|| missing("protocolVersion"))?;
    if !meta.capabilities.is_some_and(body::is_object) {
        return Err(missing("clientCapabilities"));
    }
    if header::contradicts_version(header::version(headers), &stated) {
        return Err(header::mismatch("MCP-Protocol-Version does not match _meta"));
    }
    let revision = Revision::find(&stated)
        .filter(|it| it.era() == Era::PerRequest)
        .ok_or_else(|| Rejection::unsupported_version(&stated))?;
    let name = if method == "resources/read" { params.uri } else { params.name };
    let name = name.and_then(body::string);
    header::agree(headers, method, name.as_deref())?;
    Ok(revision)
}

fn unknown_method(revision: Revision, method: &str) -> Rejection {
    let message = format!("Method not found: {}", clip(method));
    match revision.era() {
        Era::Handshake => Rejection::in_band(Code::MethodNotFound, message),
        Era::PerRequest => Rejection::new(StatusCode::NOT_FOUND, Code::MethodNotFound, message),
    }
}

fn invalid_params(why: &'static str) -> Rejection {
    Rejection::in_band(Code::InvalidParams, format!("Invalid params: {why}"))
}

fn initialize(params: &Params<'_>) -> Result<Revision, Rejection> {
    let asked = params.version.and_then(body::string);
    let asked = asked.ok_or_else(|| invalid_params("protocolVersion is not a string"))?;
    Ok(Revision::negotiate(&asked))
}

/// The whole list is one page, so the only cursor that can be meant is the empty one.
fn list_tools<'b>(params: &Params<'_>) -> Result<Method<'b>, Rejection> {
    match params.cursor.map(body::string) {
        None => Ok(Method::ListTools),
        Some(Some(cursor)) if cursor.is_empty() => Ok(Method::ListTools),
        Some(Some(_) | None) => Err(invalid_params("unknown cursor")),
    }
}

fn call_tool<'b>(params: &Params<'b>) -> Result<CallTool<'b>, Rejection> {
    let name = params.name.and_then(body::string);
    let name = name.ok_or_else(|| invalid_params("name is not a string"))?;
    let workspace = match params.arguments {
        None => None,
        Some(raw) if body::is_object(raw) => {
            let arguments: Arguments<'b> = body::object(raw)
                .map_err(|_| invalid_params("arguments has a member twice, or invalid text"))?;
            arguments.workspace.and_then(body::string)
        }
        Some(_) => return Err(invalid_params("arguments is not an object")),
    };
    Ok(CallTool { name, arguments: params.arguments, workspace })
}

#[cfg(test)]
mod tests;
