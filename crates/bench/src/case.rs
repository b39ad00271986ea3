//! What is asked: the same read of a board, by every kind of reference, for small and large
//! rosters, in both eras of the protocol.

use bytes::Bytes;
use http::{Request, header};
use http_body_util::Full;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::world::BOARD;

/// How the call says which workspace it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reference {
    Id,
    Alias,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Era {
    Handshake,
    PerRequest,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Case {
    pub(crate) reference: Reference,
    /// How many workspaces the person is in.
    pub(crate) roster: usize,
    pub(crate) era: Era,
}

pub(crate) const ROSTERS: [usize; 2] = [3, 500];

impl Case {
    /// The least that a call costs.
    pub(crate) const SIMPLE: Self =
        Self { reference: Reference::Id, roster: ROSTERS[0], era: Era::PerRequest };

    pub(crate) fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for reference in [Reference::Id, Reference::Alias, Reference::None] {
            for roster in ROSTERS {
                for era in [Era::Handshake, Era::PerRequest] {
                    cases.push(Self { reference, roster, era });
                }
            }
        }
        cases
    }

    pub(crate) fn quick() -> Vec<Self> {
        let (reference, roster, era) = (Reference::Alias, ROSTERS[1], Era::Handshake);
        vec![Self::SIMPLE, Self { reference, roster, era }]
    }

    /// The request, whichever server is asked. `workspace` is how the call refers to it.
    pub(crate) fn request(
        &self,
        host: &str,
        path: &str,
        token: &str,
        workspace: Option<&str>,
    ) -> Result<Request<Full<Bytes>>, http::Error> {
        let mut arguments = json!({ "board": BOARD });
        if let Some(workspace) = workspace {
            arguments["workspace"] = workspace.into();
        }
        let mut params = json!({ "name": "read_board", "arguments": arguments });
        let mut request = Request::post(path)
            .header(header::HOST, host)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        match self.era {
            Era::Handshake => request = request.header("mcp-protocol-version", "2025-11-25"),
            Era::PerRequest => {
                params["_meta"] = meta();
                request = request
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", "tools/call")
                    .header("mcp-name", "read_board");
            }
        }
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        request.body(Full::new(Bytes::from(call.to_string())))
    }
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
