//! Which addresses have a document, and what it says.

use portico_declaration::{Catalogue, compile, parse};

use super::*;

pub(crate) fn declaration(servers: &[&str]) -> Declaration {
    let server = |name: &&str| format!("[[servers]]\nname = \"{name}\"\ntitle = \"Acme {name}\"\n");
    let servers: Vec<String> = servers.iter().map(server).collect();
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
    compile(&parse("acme.toml", &text).unwrap(), &Catalogue::default()).unwrap()
}

// mcp:R1, pre:O4, sec:A11
#[test]
fn a_server_is_described_with_its_issuer() {
    let issuer = Issuer::of_tenant("https://h.example", "acme");
    let document = protected_resource(&issuer, &declaration(&["boards"]), "/mcp/boards");
    insta::assert_json_snapshot!(document, @r#"
    {
      "resource": "https://h.example/v/acme/mcp/boards",
      "authorization_servers": [
        "https://h.example/v/acme"
      ],
      "scopes_supported": [
        "read",
        "write"
      ],
      "bearer_methods_supported": [
        "header"
      ],
      "resource_name": "Acme boards"
    }
    "#);
}

// cli:4, cli:5, mcp:R3
#[test]
fn only_the_addresses_of_servers_have_a_document() {
    let issuer = Issuer::of_origin("https://h.example");
    let resource = |servers: &[&str], path| {
        protected_resource(&issuer, &declaration(servers), path).map(|found| found.resource)
    };
    let (one, two) = (["boards"], ["boards", "reports"]);
    for (servers, path, expected) in [
        (&one[..], "/mcp/boards", Some("https://h.example/mcp/boards")),
        (&one[..], "/mcp/boards/", Some("https://h.example/mcp/boards/")),
        (&two[..], "/mcp/reports", Some("https://h.example/mcp/reports")),
        (&one[..], "", Some("https://h.example/mcp/boards")),
        (&one[..], "/", Some("https://h.example/mcp/boards")),
        (&two[..], "", None),
        (&one[..], "/mcp/boards//", None),
        (&one[..], "/mcp/board", None),
        (&one[..], "/mcp/", None),
        (&one[..], "/mcp", None),
        (&one[..], "/other", None),
        (&one[..], "/mcp/boards/x", None),
        (&one[..], "mcp/boards", None),
    ] {
        assert_eq!(resource(servers, path).as_deref(), expected, "{servers:?} {path}");
    }
}

// pre:O4, cli:4, cli:14
#[test]
fn a_vanity_host_describes_its_own_addresses_as_they_were_written() {
    let issuer = Issuer::of_host("https://h.example", "mcp.acme.example", "reports");
    let declaration = declaration(&["boards", "reports"]);
    for (path, expected) in [
        ("", Some(("https://mcp.acme.example", 2))),
        ("/", Some(("https://mcp.acme.example/", 2))),
        ("/readonly", Some(("https://mcp.acme.example/readonly", 1))),
        ("/w/a%2eb/readonly/", Some(("https://mcp.acme.example/w/a%2eb/readonly/", 1))),
        ("/mcp/reports", None),
        ("/mcp/boards", None),
        ("/w", None),
    ] {
        let found = protected_resource(&issuer, &declaration, path);
        let said = found.as_ref().map(|it| (it.resource.as_str(), it.scopes_supported.len()));
        assert_eq!(said, expected, "{path}");
        if let Some(document) = found {
            assert_eq!(document.authorization_servers, ["https://mcp.acme.example"]);
            assert_eq!(document.resource_name, "Acme reports");
        }
    }
}
