//! The document about a server (RFC 9728).

use portico_declaration::{Declaration, Server};
use portico_model::{Issuer, Scope};
use serde::Serialize;

use crate::path;

#[derive(Debug, Serialize)]
pub struct ProtectedResource {
    pub resource: String,
    pub authorization_servers: [String; 1],
    pub scopes_supported: Vec<Scope>,
    pub bearer_methods_supported: [&'static str; 1],
    pub resource_name: String,
}

/// The document about the resource at `path` below the issuer. An empty path, or a slash, means
/// the only server, where there is one.
pub fn protected_resource(
    issuer: &Issuer,
    declaration: &Declaration,
    path: &str,
) -> Option<ProtectedResource> {
    let (server, has_slash) = match path {
        "" | "/" => (only_server(declaration)?, false),
        path => {
            let (name, has_slash) = path::server(path)?;
            (declaration.server(name)?, has_slash)
        }
    };
    let mut resource = issuer.resource(server.name.as_str());
    // Some clients compare with the address as a person typed it.
    if has_slash {
        resource.push('/');
    }
    Some(ProtectedResource {
        resource,
        authorization_servers: [issuer.as_str().to_owned()],
        scopes_supported: declaration.scope_set().iter().collect(),
        bearer_methods_supported: ["header"],
        resource_name: server.title.clone(),
    })
}

fn only_server(declaration: &Declaration) -> Option<&Server> {
    match declaration.servers.as_slice() {
        [server] => Some(server),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
