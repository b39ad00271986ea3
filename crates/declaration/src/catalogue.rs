//! What there is to declare, as plain data: the modules that were compiled in, and their tools.

use portico_model::Scope;

/// Every module of a build. The names in a declaration are looked up here.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub modules: Vec<Module>,
    /// The names of the tools that every server has, and which are not declared.
    pub built_in: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: String,
    /// In the order in which a list shows them.
    pub tools: Vec<Tool>,
}

#[derive(Clone, Debug)]
pub struct Tool {
    /// The name on the wire, `move_card`.
    pub name: String,
    /// What a connection needs to call it.
    pub scope: Scope,
}

impl Catalogue {
    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name == name)
    }

    pub(crate) fn is_built_in(&self, name: &str) -> bool {
        self.built_in.iter().any(|known| known == name)
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools().find(|tool| tool.name == name)
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.modules.iter().flat_map(|module| &module.tools)
    }
}
