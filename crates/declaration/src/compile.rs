//! Looks up what a document names. A tool, module or hint that leads nowhere is a problem, and the
//! document is refused as a whole.

use std::collections::HashSet;

use portico_model::{Hints, Scope};

use crate::catalogue::{Catalogue, Tool};
use crate::compiled::{Declaration, Offered, Server};
use crate::document::Document;
use crate::nearest::suggest;
use crate::problem::Problems;
use crate::server::Declared;
use crate::text::{Placed, Report};

/// Resolves the names in a document.
///
/// # Errors
/// Every name that leads nowhere.
pub fn compile(document: &Document, catalogue: &Catalogue) -> Result<Declaration, Problems> {
    let mut resolver = Resolver {
        catalogue,
        granted: document.scopes.iter().map(|titled| titled.scope).collect(),
        report: Report::new(&document.text),
    };
    let mut servers = Vec::new();
    for declared in &document.servers {
        let tools = resolver.tools(declared);
        servers.push(Server {
            name: declared.name.clone(),
            title: declared.title.clone(),
            instructions: declared.instructions.clone(),
            access_token: declared.access_token.unwrap_or(document.oauth.access_token),
            hosts: declared.hosts.iter().map(|host| host.value.clone()).collect(),
            tools,
        });
    }
    if !resolver.report.is_empty() {
        return Err(resolver.report.into_problems());
    }
    Ok(Declaration {
        tenant: document.tenant.clone(),
        brand: document.brand.clone(),
        redirects: document.oauth.redirects.clone(),
        legacy_token_prefixes: document.oauth.legacy_token_prefixes.clone(),
        limits: document.limits,
        scopes: document.scopes.clone(),
        servers,
    })
}

struct Resolver<'d> {
    catalogue: &'d Catalogue,
    /// The scopes that the document lists.
    granted: Vec<Scope>,
    report: Report<'d>,
}

impl<'d> Resolver<'d> {
    /// The tools of a server: those it names, then those of its modules that are not denied.
    fn tools(&mut self, server: &Declared) -> Vec<Offered> {
        let denied: HashSet<&str> = server.denied.iter().map(|name| name.value.as_str()).collect();
        for name in &server.denied {
            self.find_tool(name);
        }
        let mut found = self.listed(server, &denied);
        self.add_modules(server, &denied, &mut found);
        self.check_scopes(&found);
        let mut offered = Vec::new();
        for (tool, _) in found {
            offered.push(Offered { name: tool.name.clone(), hints: Hints::default() });
        }
        self.lay_hints(server, &mut offered);
        offered
    }

    /// The tools of `tools`, each with the place that named it.
    fn listed(&mut self, server: &Declared, denied: &HashSet<&str>) -> Vec<(&'d Tool, usize)> {
        let mut found = Vec::new();
        for name in &server.tools {
            if denied.contains(name.value.as_str()) {
                let sentence = format!("the tool `{}` is listed, and denied below", name.value);
                self.report.add(name.at, sentence);
            } else if let Some(tool) = self.find_tool(name) {
                found.push((tool, name.at));
            }
        }
        found
    }

    fn add_modules(
        &mut self,
        server: &Declared,
        denied: &HashSet<&str>,
        found: &mut Vec<(&'d Tool, usize)>,
    ) {
        let mut taken: HashSet<&str> = found.iter().map(|(tool, _)| tool.name.as_str()).collect();
        for name in &server.modules {
            let Some(module) = self.catalogue.module(&name.value) else {
                let modules = self.catalogue.modules.iter();
                let known: Vec<&str> = modules.map(|module| module.name.as_str()).collect();
                self.unknown("module", name, &known);
                continue;
            };
            for tool in &module.tools {
                if !denied.contains(tool.name.as_str()) && taken.insert(&tool.name) {
                    found.push((tool, name.at));
                }
            }
        }
    }

    fn find_tool(&mut self, name: &Placed) -> Option<&'d Tool> {
        let found = self.catalogue.tool(&name.value);
        if found.is_none() && self.catalogue.is_built_in(&name.value) {
            let sentence = format!("`{}` is a part of every server; leave it out", name.value);
            self.report.add(name.at, sentence);
        } else if found.is_none() {
            let known: Vec<&str> = self.catalogue.tools().map(|tool| tool.name.as_str()).collect();
            self.unknown("tool", name, &known);
        }
        found
    }

    fn unknown(&mut self, what: &str, name: &Placed, known: &[&str]) {
        let hint = suggest(&name.value, known);
        self.report.add(name.at, format!("there is no {what} `{}`; {hint}", name.value));
    }

    /// A tool whose scope nobody can be asked for could never be called.
    fn check_scopes(&mut self, found: &[(&Tool, usize)]) {
        for (tool, at) in found {
            if !self.granted.contains(&tool.scope) {
                let Tool { name, scope } = tool;
                let sentence =
                    format!("the tool `{name}` needs the scope `{scope}`, which [[scopes]] lacks");
                self.report.add(*at, sentence);
            }
        }
    }

    fn lay_hints(&mut self, server: &Declared, offered: &mut [Offered]) {
        for (name, hints) in &server.hints {
            if let Some(tool) = offered.iter_mut().find(|tool| tool.name == name.value) {
                tool.hints = *hints;
            } else {
                let known: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
                let hint = suggest(&name.value, &known);
                let sentence = format!(
                    "hints for `{}`, which the server `{}` does not offer; {hint}",
                    name.value, server.name
                );
                self.report.add(name.at, sentence);
            }
        }
    }
}

#[cfg(test)]
mod tests;
