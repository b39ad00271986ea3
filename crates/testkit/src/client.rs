//! An OAuth client as an app is one: what it registers, what it asks for, and the proof that it
//! keeps for the exchange.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::{Answer, Gateway, random};

/// Every character that a verifier may have besides letters and digits. Clients send them.
const UNUSUAL: &str = "-._~";

/// An app that has not registered yet.
#[derive(Clone, Debug)]
pub struct Client {
    pub name: String,
    pub redirect_uri: String,
    /// The body of its registration.
    pub registration: Value,
    /// What it asks for; `None` leaves the parameter out.
    pub scope: Option<String>,
}

impl Client {
    pub fn new(name: &str, redirect_uri: &str) -> Self {
        let registration = json!({
            "client_name": name,
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        });
        Self {
            name: name.to_owned(),
            redirect_uri: redirect_uri.to_owned(),
            registration,
            scope: None,
        }
    }

    pub fn claude() -> Self {
        Self::new("Claude", "https://claude.ai/api/mcp/auth_callback")
    }

    pub fn chatgpt() -> Self {
        Self::new("ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect")
    }

    /// On the person's own computer.
    pub fn claude_code() -> Self {
        Self::new("Claude Code (acme)", "http://localhost:58753/callback")
    }

    pub fn cursor() -> Self {
        let mut cursor = Self::new("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback");
        cursor.registration["redirect_uris"] = json!([
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ]);
        cursor
    }

    #[must_use]
    pub fn asking_for(mut self, scope: &str) -> Self {
        self.scope = Some(scope.to_owned());
        self
    }

    /// Finds the server's authorization server by what its refusal says, and registers there.
    pub async fn register(&self, gateway: &Gateway, resource: &str) -> Registered {
        let endpoints = Endpoints::discover(gateway, resource).await;
        let answer = gateway.post_json(&endpoints.registration, &self.registration).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let id = answer.json()["client_id"].as_str().unwrap().to_owned();
        let resource = resource.to_owned();
        Registered { client: self.clone(), id, resource, endpoints }
    }
}

/// The addresses that a client learns.
#[derive(Clone, Debug)]
pub struct Endpoints {
    pub issuer: String,
    pub authorization: String,
    pub token: String,
    pub registration: String,
    pub revocation: String,
}

impl Endpoints {
    /// From a refusal to its document to the authorization server's.
    pub async fn discover(gateway: &Gateway, resource: &str) -> Self {
        let refused = gateway.post_json(resource, &json!({})).await;
        assert_eq!(refused.status, 401, "{}", refused.body);
        let challenge = refused.header("www-authenticate").unwrap();
        let named = challenge.split("resource_metadata=\"").nth(1).unwrap();
        let document = gateway.fetch(named.split('"').next().unwrap()).await.json();
        assert_eq!(document["resource"], resource);
        let issuer = document["authorization_servers"][0].as_str().unwrap().to_owned();
        let at = Url::parse(&issuer).unwrap();
        let path = at.path().trim_end_matches('/');
        let origin = at.origin().ascii_serialization();
        let document =
            gateway.fetch(&format!("{origin}/.well-known/oauth-authorization-server{path}")).await;
        let document = document.json();
        let read = |name: &str| document[name].as_str().unwrap().to_owned();
        assert_eq!(read("issuer"), issuer);
        Self {
            issuer,
            authorization: read("authorization_endpoint"),
            token: read("token_endpoint"),
            registration: read("registration_endpoint"),
            revocation: read("revocation_endpoint"),
        }
    }
}

/// A client of one authorization server.
#[derive(Clone, Debug)]
pub struct Registered {
    pub client: Client,
    pub id: String,
    pub resource: String,
    pub endpoints: Endpoints,
}

impl Registered {
    /// What it opens the browser with. Each time with another proof and state.
    pub fn ask(&self) -> Ask {
        let verifier = format!("{UNUSUAL}{}", random_text());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let state = random_text();
        let mut parameters = vec![
            ("response_type", "code".to_owned()),
            ("client_id", self.id.clone()),
            ("redirect_uri", self.client.redirect_uri.clone()),
            ("state", state.clone()),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256".to_owned()),
            ("resource", self.resource.clone()),
        ];
        parameters.extend(self.client.scope.clone().map(|scope| ("scope", scope)));
        Ask { registered: self.clone(), verifier, state, parameters }
    }
}

/// One authorization request, and the secret that the client keeps for its exchange.
#[derive(Clone, Debug)]
pub struct Ask {
    pub registered: Registered,
    pub verifier: String,
    pub state: String,
    pub parameters: Vec<(&'static str, String)>,
}

impl Ask {
    /// Replaces a parameter; `None` leaves it out.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.parameters.retain(|(known, _)| *known != name);
        self.parameters.extend(value.map(|value| (name, value.to_owned())));
        self
    }

    pub fn url(&self) -> String {
        let mut url = Url::parse(&self.registered.endpoints.authorization).unwrap();
        url.query_pairs_mut().extend_pairs(&self.parameters);
        url.into()
    }

    /// The form of the exchange.
    pub fn exchange_form<'a>(&'a self, code: &'a str) -> Vec<(&'static str, &'a str)> {
        vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.registered.client.redirect_uri),
            ("client_id", &self.registered.id),
            ("code_verifier", &self.verifier),
            ("resource", &self.registered.resource),
        ]
    }

    pub async fn exchange(&self, gateway: &Gateway, code: &str) -> Answer {
        gateway.post_form(&self.registered.endpoints.token, &self.exchange_form(code)).await
    }

    /// The code of the address that the browser was sent back to, which must be the client's own.
    pub fn code(&self, callback: &Url) -> String {
        let read = |name: &str| {
            let found = callback.query_pairs().find(|(known, _)| known == name);
            found.map(|(_, value)| value.into_owned())
        };
        let mut registered = callback.clone();
        registered.set_query(None);
        assert_eq!(registered.as_str(), self.registered.client.redirect_uri);
        assert_eq!(read("state").as_ref(), Some(&self.state), "{callback}");
        assert_eq!(read("iss").as_ref(), Some(&self.registered.endpoints.issuer), "{callback}");
        read("code").unwrap_or_else(|| panic!("no code in {callback}"))
    }
}

fn random_text() -> String {
    URL_SAFE_NO_PAD.encode(random::bytes())
}
