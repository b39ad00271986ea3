//! What one server offers: its tools in their order, compiled once for each version of a
//! declaration, with the lists that clients are sent.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use portico_declaration::Server;
use portico_mcp::{self as mcp, CallTool, ToolList};
use portico_model::Scope;
use portico_registry::Module;
use portico_storage::admit::Reference;

use crate::source;
use crate::tool::Tool;
use crate::workspace::Asked;

/// The tools of a server, or of one of its narrower addresses.
#[derive(Debug)]
pub struct Offer {
    server: Arc<str>,
    tools: HashMap<String, Arc<Tool>>,
    list: ToolList,
    /// Those that only read; `None` where these are they.
    reading: Option<Box<Self>>,
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
        let mut names = HashSet::new();
        for tool in &order {
            let name = &tool.shown.name;
            if !mcp::is_tool_name(name) {
                return Err(OfferError::BadName(name.clone()));
            }
            if !names.insert(name) {
                return Err(OfferError::Repeated(name.clone()));
            }
        }
        let order: Vec<Arc<Tool>> = order.into_iter().map(Arc::new).collect();
        let server = Arc::from(server.name.as_str());
        let reading = order.iter().filter(|tool| tool.scope == Scope::Read);
        let reading = Self::of(&server, reading.cloned().collect(), None);
        Ok(Self::of(&server, order, Some(Box::new(reading))))
    }

    fn of(server: &Arc<str>, order: Vec<Arc<Tool>>, reading: Option<Box<Self>>) -> Self {
        let shown: Vec<mcp::Tool> = order.iter().map(|tool| tool.shown.clone()).collect();
        let list = ToolList::new(&shown);
        let tools = order.into_iter().map(|tool| (tool.shown.name.clone(), tool)).collect();
        Self { server: Arc::clone(server), tools, list, reading }
    }

    /// What an address of the server offers: all of it, or what only reads.
    pub fn narrowed(&self, is_read_only: bool) -> &Self {
        match &self.reading {
            Some(reading) if is_read_only => reading,
            Some(_) | None => self,
        }
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
    /// `pin` is what the address says.
    pub fn reference<'c>(
        &self,
        asked: Option<&'c CallTool<'_>>,
        pin: Option<&'c str>,
    ) -> Reference<'c> {
        let tool = asked.and_then(|asked| Some((asked, self.tool(&asked.name)?)));
        tool.map_or(Reference::Unneeded, |(asked, tool)| {
            Asked::of(tool, asked.workspace.as_deref(), pin).reference()
        })
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name).map(Arc::as_ref)
    }
}

#[cfg(test)]
mod tests;
