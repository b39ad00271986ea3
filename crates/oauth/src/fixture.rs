//! A tenant for the tests of this crate.

use portico_declaration::{Catalogue, Declaration, compile, parse};
use portico_model::{Issuer, TenantId};

use crate::Tenant;

pub(crate) struct Acme {
    issuer: Issuer,
    declaration: Declaration,
}

impl Acme {
    pub(crate) fn with_servers(names: &[&str]) -> Self {
        let server =
            |name: &&str| format!("[[servers]]\nname = \"{name}\"\ntitle = \"Acme {name}\"\n");
        let servers: Vec<String> = names.iter().map(server).collect();
        let servers = servers.concat();
        let text = format!(
            r##"
            tenant = "acme"
            [brand]
            name = "Acme"
            accent = "#0b57d0"
            [sign_in]
            kind = "local"
            [directory]
            kind = "managed"
            [oauth]
            access_token = "8h"
            redirects = "known-apps"
            [[scopes]]
            name = "read"
            title = "See your boards"
            [[scopes]]
            name = "write"
            title = "Change your boards"
            {servers}
            "##
        );
        let document = parse("acme.toml", &text).unwrap();
        Self {
            issuer: Issuer::of_origin("https://h.example"),
            declaration: compile(&document, &Catalogue::default()).unwrap(),
        }
    }

    /// The same at a vanity host of one of the servers.
    pub(crate) fn at_host(mut self, host: &str, server: &str) -> Self {
        self.issuer = Issuer::of_host("https://h.example", host, server);
        self
    }

    pub(crate) fn issuer(&self) -> &Issuer {
        &self.issuer
    }

    pub(crate) fn tenant(&self) -> Tenant<'_> {
        let id: TenantId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".parse().unwrap();
        Tenant { id, issuer: &self.issuer, host: None, version: 1, declaration: &self.declaration }
    }
}
