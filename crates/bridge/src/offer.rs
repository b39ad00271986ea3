//! What one server offers: its tools in their order, compiled once for each version of a
//! declaration, with the list that clients are sent.

use std::collections::HashMap;
use std::sync::Arc;

use portico_declaration::Server;
use portico_mcp::{self as mcp, CallTool, ToolList};
use portico_registry::Module;
use portico_storage::admit::Reference;

use crate::source;
use crate::tool::Tool;
use crate::workspace::Asked;

/// The tools of a server.
#[derive(Debug)]
pub struct Offer {
    server: Arc<str>,
    tools: HashMap<String, Tool>,
    list: ToolList,
}

/// Why a server cannot be offered. A declaration that was checked against the same modules has
/// none of these but for a module's own mistake.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    #[error("no module has the tool {0}")]
    UnknownTool(String),
    #[error("the tool {0} is named twice")]
    Repeated(String),
    #[error("the tool name {0:?} is not one that clients can use")]
    BadName(String),
    #[error("the tool {0} has a property `workspace` of its own, which is the gateway's word")]
    TakenProperty(String),
    #[error("the tool {tool} has arguments that no call can be checked against")]
    BadSchema { tool: String, source: Box<jsonschema::ValidationError<'static>> },
}

impl Offer {
    /// The server's own tools in the declared order, behind the one that every server has.
    pub fn compile(server: &Server, modules: &[Module]) -> Result<Self, OfferError> {
        let mut order = source::built_in()?;
        for offered in &server.tools {
            order.push(source::compile(offered, modules)?);
        }
        let shown: Vec<mcp::Tool> = order.iter().map(|tool| tool.shown.clone()).collect();
        let mut tools = HashMap::new();
        for tool in order {
            let name = tool.shown.name.clone();
            if !mcp::is_tool_name(&name) {
                return Err(OfferError::BadName(name));
            }
            if tools.insert(name.clone(), tool).is_some() {
                return Err(OfferError::Repeated(name));
            }
        }
        Ok(Self { server: Arc::from(server.name.as_str()), tools, list: ToolList::new(&shown) })
    }

    /// The name of the server.
    pub(crate) const fn server(&self) -> &Arc<str> {
        &self.server
    }

    /// What `tools/list` answers, the same for everyone.
    pub const fn list(&self) -> &ToolList {
        &self.list
    }

    /// Which workspace the admit statement has to look up: the one of the call, if there is one.
    pub fn reference<'c>(&self, asked: Option<&'c CallTool<'_>>) -> Reference<'c> {
        let tool = asked.and_then(|asked| Some((asked, self.tool(&asked.name)?)));
        tool.map_or(Reference::Unneeded, |(asked, tool)| {
            Asked::of(tool, asked.workspace.as_deref()).reference()
        })
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }
}

#[cfg(test)]
mod tests;
