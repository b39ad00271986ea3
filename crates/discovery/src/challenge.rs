//! The `WWW-Authenticate` header of a refused call (RFC 6750 §3, RFC 9728 §5.1). `Bearer` comes
//! first and every value is quoted: clients split it at the first space.

use portico_declaration::Declaration;
use portico_model::{Issuer, Scopes};

use crate::path;

/// No token was presented, which is no error. `path` is the address below the issuer, as it was
/// called.
pub fn unauthenticated(issuer: &Issuer, declaration: &Declaration, path: &str) -> String {
    format!("Bearer {}", location(issuer, &offered(issuer, declaration, path), path))
}

/// A token was presented, and is not good, for whatever reason.
pub fn invalid_token(issuer: &Issuer, declaration: &Declaration, path: &str) -> String {
    format!(
        r#"Bearer error="invalid_token", error_description="the token is not valid here", {}"#,
        location(issuer, &offered(issuer, declaration, path), path)
    )
}

/// The connection lacks a scope; `needed` is all that a new one should have.
pub fn insufficient_scope(issuer: &Issuer, needed: &Scopes, path: &str) -> String {
    format!(r#"Bearer error="insufficient_scope", {}"#, location(issuer, needed, path))
}

fn offered(issuer: &Issuer, declaration: &Declaration, path: &str) -> Scopes {
    let address = issuer.address(path);
    address.map_or_else(|| declaration.scope_set(), |it| declaration.scopes_at(&it))
}

fn location(issuer: &Issuer, scopes: &Scopes, path: &str) -> String {
    let document = issuer.well_known(path::PROTECTED_RESOURCE, path);
    format!(r#"resource_metadata="{document}", scope="{scopes}""#)
}

#[cfg(test)]
mod tests {
    use super::*;

    // cli:1, cli:77, mcp:R2, mcp:R6, mcp:R10
    #[test]
    fn a_challenge_begins_with_the_scheme_and_says_where_to_read_on() {
        let issuer = Issuer::of_tenant("https://h.example", "acme");
        let declaration = crate::protected_resource::tests::declaration(&["boards"]);
        insta::assert_snapshot!(
            unauthenticated(&issuer, &declaration, "/mcp/boards"),
            @r#"Bearer resource_metadata="https://h.example/.well-known/oauth-protected-resource/v/acme/mcp/boards", scope="read write""#
        );
        insta::assert_snapshot!(
            invalid_token(&issuer, &declaration, "/mcp/boards/"),
            @r#"Bearer error="invalid_token", error_description="the token is not valid here", resource_metadata="https://h.example/.well-known/oauth-protected-resource/v/acme/mcp/boards/", scope="read write""#
        );
        insta::assert_snapshot!(
            insufficient_scope(&issuer, &Scopes::parse("write"), "/mcp/boards"),
            @r#"Bearer error="insufficient_scope", resource_metadata="https://h.example/.well-known/oauth-protected-resource/v/acme/mcp/boards", scope="write""#
        );
    }
}
