//! The document about the issuer (RFC 8414). What it lists is what `oauth` obeys.

use portico_declaration::Declaration;
use portico_model::{Issuer, Scope};
use portico_oauth::{ChallengeMethod, ClientAuthentication, GrantType, ResponseType};
use serde::Serialize;

use crate::path;

#[derive(Debug, Serialize)]
pub struct AuthorizationServer {
    pub issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub registration_endpoint: String,
    pub revocation_endpoint: String,
    pub scopes_supported: Vec<&'static str>,
    pub response_types_supported: &'static [ResponseType],
    pub grant_types_supported: &'static [GrantType],
    pub code_challenge_methods_supported: &'static [ChallengeMethod],
    pub token_endpoint_auth_methods_supported: &'static [ClientAuthentication],
    pub revocation_endpoint_auth_methods_supported: &'static [ClientAuthentication],
    /// RFC 9207 §3
    pub authorization_response_iss_parameter_supported: bool,
}

/// What some clients look for before they expect a refresh token. It is given without.
const OFFLINE_ACCESS: &str = "offline_access";

pub fn authorization_server(issuer: &Issuer, declaration: &Declaration) -> AuthorizationServer {
    let grant_types = GrantType::of_issuer(issuer, declaration);
    let is_refreshed = grant_types.contains(&GrantType::RefreshToken);
    let scopes = declaration.scope_set();
    let scopes = scopes.iter().map(Scope::as_str);
    AuthorizationServer {
        issuer: issuer.as_str().to_owned(),
        authorization_endpoint: issuer.url(path::AUTHORIZE),
        token_endpoint: issuer.url(path::TOKEN),
        registration_endpoint: issuer.url(path::REGISTER),
        revocation_endpoint: issuer.url(path::REVOKE),
        scopes_supported: scopes.chain(is_refreshed.then_some(OFFLINE_ACCESS)).collect(),
        response_types_supported: ResponseType::ALL,
        grant_types_supported: grant_types,
        code_challenge_methods_supported: ChallengeMethod::ALL,
        token_endpoint_auth_methods_supported: ClientAuthentication::ALL,
        revocation_endpoint_auth_methods_supported: ClientAuthentication::ALL,
        authorization_response_iss_parameter_supported: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protected_resource::tests::declaration;

    // mcp:A1, mcp:A2, cli:7, cli:8, cli:14, sec:A11, sec:A13
    #[test]
    fn everything_is_built_from_the_issuer_and_nothing_is_promised_that_is_not_kept() {
        let issuer = Issuer::of_tenant("https://h.example", "acme");
        let document = super::authorization_server(&issuer, &declaration(&["boards"]));
        insta::assert_json_snapshot!(document, @r#"
        {
          "issuer": "https://h.example/v/acme",
          "authorization_endpoint": "https://h.example/v/acme/oauth/authorize",
          "token_endpoint": "https://h.example/v/acme/oauth/token",
          "registration_endpoint": "https://h.example/v/acme/oauth/register",
          "revocation_endpoint": "https://h.example/v/acme/oauth/revoke",
          "scopes_supported": [
            "read",
            "write",
            "offline_access"
          ],
          "response_types_supported": [
            "code"
          ],
          "grant_types_supported": [
            "authorization_code",
            "refresh_token"
          ],
          "code_challenge_methods_supported": [
            "S256"
          ],
          "token_endpoint_auth_methods_supported": [
            "none"
          ],
          "revocation_endpoint_auth_methods_supported": [
            "none"
          ],
          "authorization_response_iss_parameter_supported": true
        }
        "#);
    }
}
