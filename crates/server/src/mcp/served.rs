//! A server as one version of a declaration has it, with what every call asks for made once.

use portico_bridge::Offer;
use portico_declaration::Server;
use portico_mcp::ServerInfo;

#[derive(Debug)]
pub(crate) struct Served {
    pub(super) offer: Offer,
    pub(super) instructions: Option<String>,
    name: String,
    title: String,
}

impl Served {
    pub(crate) fn new(server: &Server, offer: Offer) -> Self {
        Self {
            offer,
            instructions: server.instructions.clone(),
            name: server.name.to_string(),
            title: server.title.clone(),
        }
    }

    /// What the server says it is.
    pub(super) fn info(&self) -> ServerInfo<'_> {
        ServerInfo {
            name: &self.name,
            title: Some(&self.title),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
