//! The document about a server (RFC 9728).

use portico_declaration::Declaration;
use portico_model::{Address, Issuer, Scope};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct ProtectedResource {
    pub resource: String,
    pub authorization_servers: [String; 1],
    pub scopes_supported: Vec<Scope>,
    pub bearer_methods_supported: [&'static str; 1],
    pub resource_name: String,
}

/// The document about the resource at `path` below the issuer, spelled as `path` is: some clients
/// compare it with the address as a person typed it. At a raw origin an empty path, or a slash,
/// means the only server, where there is one.
pub fn protected_resource(
    issuer: &Issuer,
    declaration: &Declaration,
    path: &str,
) -> Option<ProtectedResource> {
    let (address, resource) = match (issuer.address(path), path) {
        (Some(address), path) => (address, issuer.url(path)),
        (None, "" | "/") => {
            let only = Address::of(declaration.only_server()?.name.as_str());
            let resource = issuer.resource(&only);
            (only, resource)
        }
        (None, _) => return None,
    };
    let server = declaration.server(address.server)?;
    Some(ProtectedResource {
        resource,
        authorization_servers: [issuer.as_str().to_owned()],
        scopes_supported: declaration.scopes_at(&address).iter().collect(),
        bearer_methods_supported: ["header"],
        resource_name: server.title.clone(),
    })
}

#[cfg(test)]
pub(crate) mod tests;
