//! A connected app: holds the token that its person allowed, and calls as that person.

use std::fmt;

use axum::body::Body;
use http::{Request, header};
use serde_json::{Value, json};

use crate::client::Registered;
use crate::{Answer, Gateway};

const HANDSHAKE: &str = "2025-11-25";
const PER_REQUEST: &str = "2026-07-28";

/// Cheap to clone, as an app that is installed twice.
#[derive(Clone)]
pub struct Connection {
    pub gateway: Gateway,
    pub registered: Registered,
    pub token: String,
    /// What it renews the token with, where it was given that.
    pub refresh_token: Option<String>,
    era: Era,
}

/// How the app speaks the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Handshake,
    PerRequest,
}

impl Connection {
    pub fn new(gateway: Gateway, registered: Registered, token: String) -> Self {
        Self { gateway, registered, token, refresh_token: None, era: Era::Handshake }
    }

    /// With what the token endpoint answered.
    pub fn of_tokens(gateway: Gateway, registered: Registered, answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let tokens = answer.json();
        let read = |name: &str| tokens[name].as_str().map(str::to_owned);
        let refresh_token = read("refresh_token");
        Self { refresh_token, ..Self::new(gateway, registered, read("access_token").unwrap()) }
    }

    /// The same app with a library of 2026-07-28.
    #[must_use]
    pub fn per_request(mut self) -> Self {
        self.era = Era::PerRequest;
        self
    }

    /// The same app before another instance.
    #[must_use]
    pub fn before(mut self, gateway: &Gateway) -> Self {
        self.gateway = gateway.clone();
        self
    }

    /// The form with which it renews its token.
    pub fn refresh_form(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", self.refresh_token.as_deref().unwrap()),
            ("client_id", &self.registered.id),
            ("resource", &self.registered.resource),
        ]
    }

    pub async fn refresh(&self) -> Answer {
        let endpoint = &self.registered.endpoints.token;
        self.gateway.post_form(endpoint, &self.refresh_form()).await
    }

    /// Whether its token is good at this moment.
    pub async fn is_let_in(&self) -> bool {
        let answer = self.ask("ping", json!({})).await;
        match answer.status.as_u16() {
            200 => true,
            401 => false,
            status => panic!("{status} {}", answer.body),
        }
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Called {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        Called(answer)
    }

    /// Sends one request of the protocol, as a library of its era does.
    pub async fn ask(&self, method: &str, params: Value) -> Answer {
        let mut params = params;
        let name = params["name"].as_str().map(str::to_owned);
        if self.era == Era::PerRequest {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": PER_REQUEST,
                "io.modelcontextprotocol/clientInfo": { "name": "testkit", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut headers = Vec::new();
        match self.era {
            Era::Handshake => {
                if method != "initialize" {
                    headers.push(("mcp-protocol-version", HANDSHAKE));
                }
            }
            Era::PerRequest => {
                headers.push(("mcp-protocol-version", PER_REQUEST));
                headers.push(("mcp-method", method));
                headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
            }
        }
        self.send(&body.to_string(), &headers).await
    }

    /// Sends a body as it is, with the token.
    pub async fn send(&self, body: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::post(&self.registered.resource)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.gateway.send(request.body(Body::from(body.to_owned())).unwrap()).await
    }
}

/// What a call came to. Printed, it is the text that a model reads, after what kind it is.
#[derive(Clone, Debug)]
pub struct Called(pub Answer);

impl Called {
    pub fn is_error(&self) -> bool {
        self.0.status != 200 || self.0.json()["result"]["isError"] != json!(false)
    }

    /// The text that a model reads.
    pub fn text(&self) -> String {
        let content = &self.0.json()["result"]["content"];
        let texts = content.as_array().into_iter().flatten().filter_map(|it| it["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.status != 200 {
            return f.write_str(&self.0.brief());
        }
        let body = self.0.json();
        if let Some(error) = body.get("error") {
            return write!(f, "{error}");
        }
        let refused = if body["result"]["isError"] == json!(true) { "refused: " } else { "" };
        write!(f, "{refused}{}", self.text())
    }
}

/// The text with `id` in place of every id, for comparing it whole.
pub fn without_ids(text: &str) -> String {
    const LENGTH: usize = 36;
    let mut kept = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_id = rest.get(..LENGTH).is_some_and(|it| it.parse::<uuid::Uuid>().is_ok());
        let taken = if is_id { LENGTH } else { first.len_utf8() };
        kept.push_str(if is_id { "id" } else { &rest[..taken] });
        rest = &rest[taken..];
    }
    kept
}
