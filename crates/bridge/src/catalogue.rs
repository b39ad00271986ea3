//! What the compiled-in modules have, in the form in which a declaration is checked against it.

use portico_declaration as declaration;
use portico_registry::{Module, Tool};

use crate::source::BUILT_IN;

/// Lists what a declaration may name.
pub fn catalogue(modules: &[Module]) -> declaration::Catalogue {
    declaration::Catalogue {
        modules: modules.iter().map(module).collect(),
        built_in: BUILT_IN.map(str::to_owned).to_vec(),
    }
}

fn module(module: &Module) -> declaration::Module {
    declaration::Module {
        name: module.name.to_owned(),
        tools: module.tools.iter().map(tool).collect(),
    }
}

fn tool(tool: &Tool) -> declaration::Tool {
    declaration::Tool { name: tool.name.to_owned(), scope: tool.scope }
}
