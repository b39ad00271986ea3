//! Callbacks of clients that everybody knows. What proves anything is the whole address, which only
//! its owner can answer at; a loopback address and a private scheme are anybody's, and prove
//! nothing.

use super::Redirect;

const CALLBACKS: &[&str] = &[
    "https://claude.ai/api/mcp/auth_callback",
    "https://claude.com/api/mcp/auth_callback",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "https://vscode.dev/redirect",
    "https://insiders.vscode.dev/redirect",
    "https://www.perplexity.ai/rest/connections/oauth_callback",
    "https://www.perplexity.com/rest/connections/oauth_callback",
    "https://grok.com/mcp/callback",
    "https://antigravity.google/oauth-callback",
    "https://oauth.n8n.cloud/oauth2/callback",
];

/// One for each connector.
const CHATGPT: &str = "https://chatgpt.com/connector/oauth/";

impl Redirect {
    /// Whether the answer goes to a client that can be told by where it is.
    pub fn is_recognised(&self) -> bool {
        let text = self.as_str();
        CALLBACKS.contains(&text) || text.strip_prefix(CHATGPT).is_some_and(is_connector)
    }
}

fn is_connector(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use portico_declaration::Redirects;

    use super::Redirect;

    // sec:B15
    #[test]
    fn a_client_is_recognised_by_its_whole_address_alone() {
        for (address, is_recognised) in [
            ("https://claude.ai/api/mcp/auth_callback", true),
            ("https://chatgpt.com/connector/oauth/abc_DEF-1", true),
            ("https://claude.ai/api/mcp/auth_callback/", false),
            ("https://claude.ai/api/mcp/auth_callback?next=x", false),
            ("https://claude.ai/", false),
            ("https://claude.ai:8443/api/mcp/auth_callback", false),
            ("https://claude.ai.evil.test/api/mcp/auth_callback", false),
            ("https://xn--laude-7ve.ai/api/mcp/auth_callback", false),
            ("https://chatgpt.com/connector/oauth/", false),
            ("https://chatgpt.com/connector/oauth/a/b", false),
            ("https://chatgpt.com/connector/oauth/a?b", false),
            ("http://localhost:1/callback", false),
            ("cursor://anysphere.cursor-mcp/oauth/callback", false),
        ] {
            let registered = [address.to_owned()];
            let allowed = Redirects::KnownApps(vec![]);
            let redirect = Redirect::for_client(address, &registered, &allowed).unwrap();
            assert_eq!(redirect.is_recognised(), is_recognised, "{address}");
        }
    }
}
