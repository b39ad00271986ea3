//! What one server offers: its tools in their order, compiled once for each version of a
//! declaration, with the list that clients are sent.

use std::collections::HashMap;

use portico_declaration::Server;
use portico_mcp::{self as mcp, CallTool, ToolList};
use portico_registry::{self as registry, Module};
use portico_storage::admit::Reference;

use crate::roster;
use crate::tool::{Fault, Tool};
use crate::workspace::Asked;

/// The tools of a server.
#[derive(Debug)]
pub struct Offer {
    server: String,
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
        let mut order = vec![Tool::roster().map_err(|fault| name(fault, roster::NAME))?];
        for offered in &server.tools {
            let tool = find(modules, &offered.name)
                .ok_or_else(|| OfferError::UnknownTool(offered.name.clone()))?;
            let compiled = Tool::registry(tool, offered.hints);
            order.push(compiled.map_err(|fault| name(fault, &offered.name))?);
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
        Ok(Self { server: server.name.clone(), tools, list: ToolList::new(&shown) })
    }

    /// The name of the server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// What `tools/list` answers, the same for everyone.
    pub const fn list(&self) -> &ToolList {
        &self.list
    }

    /// Which workspace the admit statement has to look up for a call.
    pub fn reference<'c>(&self, asked: &'c CallTool<'_>) -> Reference<'c> {
        match self.tool(&asked.name) {
            Some(tool) => Asked::of(tool, asked.workspace.as_deref()).reference(),
            None => Reference::Unneeded,
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }
}

fn find<'m>(modules: &'m [Module], name: &str) -> Option<&'m registry::Tool> {
    modules.iter().flat_map(|module| &module.tools).find(|tool| tool.name == name)
}

fn name(fault: Fault, tool: &str) -> OfferError {
    let tool = tool.to_owned();
    match fault {
        Fault::Taken => OfferError::TakenProperty(tool),
        Fault::Schema(source) => OfferError::BadSchema { tool, source },
    }
}

#[cfg(test)]
mod tests;
