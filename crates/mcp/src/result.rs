//! Answers in the words of a revision: what a result has in one era and not in the other.
//! Refuses to know how an answer came about.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::id::Id;
use crate::json;
use crate::message::Request;
use crate::tool::ToolList;
use crate::version::{Era, Revision};

/// How long a client may trust what it was told of tools and capabilities: short, since a tenant may apply
/// another declaration at any time.
const TTL_MS: u64 = 60_000;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ServerInfo<'a> {
    pub name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    pub version: &'a str,
}

/// What a tool said, or why it did not.
#[derive(Debug, Clone)]
pub struct ToolResult {
    pub text: String,
    pub is_error: bool,
    /// For programs, by names with a prefix of their own.
    pub meta: Map<String, Value>,
}

impl ToolResult {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false, meta: Map::new() }
    }

    /// A failure that the caller is to read and act on.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true, meta: Map::new() }
    }

    #[must_use]
    pub fn with_meta(self, meta: Map<String, Value>) -> Self {
        Self { meta, ..self }
    }
}

/// An answer to a request.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'a> {
    Initialized { instructions: Option<&'a str> },
    Pong,
    Discovered { instructions: Option<&'a str> },
    Tools(&'a ToolList),
    Called(&'a ToolResult),
}

impl Answer<'_> {
    /// The JSON-RPC response.
    pub fn body(self, request: &Request<'_>, server: &ServerInfo<'_>) -> String {
        let revision = request.revision;
        let title = server.title.filter(|_| revision.has_titles());
        let server = &ServerInfo { title, ..*server };
        let pen = Pen { id: &request.id, revision, server };
        match self {
            Self::Initialized { instructions } => pen.write(&Initialized {
                protocol_version: revision.as_str(),
                capabilities: CAPABILITIES,
                server_info: server,
                instructions,
            }),
            Self::Pong => pen.write(&Pong {}),
            Self::Discovered { instructions } => pen.write(&pen.cacheable(Discovered {
                supported_versions: Revision::ALL.map(Revision::as_str),
                capabilities: CAPABILITIES,
                instructions,
            })),
            Self::Tools(list) => pen.write(&pen.cacheable(Tools { tools: list.json(revision) })),
            Self::Called(ToolResult { text, is_error, meta }) => {
                let content = [Text { kind: "text", text }];
                pen.write_with(meta, &Called { content, is_error: *is_error })
            }
        }
    }
}

/// What every answer to one request has in common.
#[derive(Clone, Copy)]
struct Pen<'a> {
    id: &'a Id,
    revision: Revision,
    server: &'a ServerInfo<'a>,
}

impl Pen<'_> {
    fn write(self, result: &impl Serialize) -> String {
        self.write_with(&Map::new(), result)
    }

    fn write_with(self, own: &Map<String, Value>, result: &impl Serialize) -> String {
        let (result_type, server) = match self.revision.era() {
            Era::Handshake => (None, None),
            Era::PerRequest => (Some("complete"), Some(self.server)),
        };
        let is_empty = server.is_none() && own.is_empty();
        let meta = (!is_empty).then_some(Meta { server, own });
        let result = Framed { result_type, result, meta };
        let response = Response { jsonrpc: "2.0", id: self.id, result };
        json::text(&response)
    }

    fn cacheable<T: Serialize>(self, result: T) -> Cacheable<T> {
        // The list is the same for everyone who may see it, yet no shared cache checks who may.
        match self.revision.era() {
            Era::Handshake => Cacheable { result, ttl_ms: None, cache_scope: None },
            Era::PerRequest => {
                Cacheable { result, ttl_ms: Some(TTL_MS), cache_scope: Some("private") }
            }
        }
    }
}

#[derive(Serialize)]
struct Response<'a, T> {
    jsonrpc: &'static str,
    id: &'a Id,
    result: Framed<'a, T>,
}

#[derive(Serialize)]
struct Framed<'a, T> {
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(flatten)]
    result: T,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
}

#[derive(Serialize)]
struct Meta<'a> {
    #[serde(
        rename = "io.modelcontextprotocol/serverInfo",
        skip_serializing_if = "Option::is_none"
    )]
    server: Option<&'a ServerInfo<'a>>,
    #[serde(flatten)]
    own: &'a Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cacheable<T> {
    #[serde(flatten)]
    result: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
}

#[derive(Serialize)]
struct Capabilities {
    tools: Empty,
}

#[derive(Serialize)]
struct Empty {}

/// What there are handlers for, and nothing else.
const CAPABILITIES: Capabilities = Capabilities { tools: Empty {} };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialized<'a> {
    protocol_version: &'static str,
    capabilities: Capabilities,
    server_info: &'a ServerInfo<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
}

#[derive(Serialize)]
struct Pong {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Discovered<'a> {
    supported_versions: [&'static str; Revision::ALL.len()],
    capabilities: Capabilities,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
}

#[derive(Serialize)]
struct Tools<'a> {
    tools: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Called<'a> {
    content: [Text<'a>; 1],
    is_error: bool,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

#[cfg(test)]
mod tests;
