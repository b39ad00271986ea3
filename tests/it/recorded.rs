//! What well-known clients send, as far as it is known, replayed: each gets a token and the tools,
//! and renews the token where it runs out. A fixture keeps what is known apart from what we added.

use axum::body::Body;
use http::Request;
use insta::assert_snapshot;
use portico_testkit::client::{Ask, Endpoints, Registered};
use portico_testkit::{Answer, Client, Database, Person, Tenant, form};
use serde_json::{Map, Value};

/// Where their listener happens to be.
const PORT: &str = "53817";

const RECORDED: [&str; 9] = [
    include_str!("../fixtures/clients/chatgpt.json"),
    include_str!("../fixtures/clients/claude-code.json"),
    include_str!("../fixtures/clients/claude.json"),
    include_str!("../fixtures/clients/codex.json"),
    include_str!("../fixtures/clients/cursor.json"),
    include_str!("../fixtures/clients/gemini-cli.json"),
    include_str!("../fixtures/clients/goose.json"),
    include_str!("../fixtures/clients/vs-code.json"),
    include_str!("../fixtures/clients/zed.json"),
];

struct Recorded(Value);

impl Recorded {
    fn all() -> impl Iterator<Item = Self> {
        RECORDED
            .iter()
            .map(|text| Self(serde_json::from_str(&text.replace("{port}", PORT)).unwrap()))
    }

    fn name(&self) -> &str {
        self.0["client"].as_str().unwrap()
    }

    /// What is known of a part, and what we added.
    fn part(&self, name: &str) -> Value {
        whole(&self.0[name])
    }

    fn parts(&self, name: &str) -> Vec<Value> {
        self.0[name].as_array().unwrap().iter().map(whole).collect()
    }

    fn client(&self) -> Client {
        let redirect_uri = self.0["redirect_uri"].as_str().unwrap();
        let mut client = Client::new(self.name(), redirect_uri);
        client.registration = self.part("registration");
        client.scope = self.part("authorize")["scope"].as_str().map(str::to_owned);
        client
    }
}

fn whole(part: &Value) -> Value {
    let mut whole = part["ours"].clone();
    merge(&mut whole, &part["known"]);
    whole
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Object(Map::new())), value);
            }
        }
        (into, from) => into.clone_from(from),
    }
}

/// A client at its work; what happened is a line for each step.
struct Replay<'a> {
    recorded: &'a Recorded,
    acme: &'a Tenant,
    told: Vec<String>,
}

impl Replay<'_> {
    async fn run(mut self, person: &Person) -> String {
        self.told.push(self.recorded.name().to_owned());
        for knock in self.recorded.parts("knocks") {
            let answer = self.send(&knock, None).await;
            let challenge = answer.header("www-authenticate").unwrap();
            let scheme = challenge.split(' ').next().unwrap();
            self.told.push(format!("  {} -> {} {scheme}", title(&knock), answer.status.as_u16()));
        }
        let ask = self.begin().await;
        let callback = person.allow(&mut person.browser().await, &ask).await;
        let code = ask.code(&callback);
        let form = ask.exchange_form(&code);
        let tokens = self.exchange("token", &ask, &form).await;
        self.speak(&tokens, |_| true).await;
        if let Some(refresh_token) = tokens["refresh_token"].as_str() {
            let form = [
                ("grant_type", "refresh_token"),
                ("refresh_token", refresh_token),
                ("client_id", &ask.registered.id),
                ("resource", &ask.registered.resource),
            ];
            let tokens = self.exchange("refresh", &ask, &form).await;
            self.speak(&tokens, |method| method == "tools/list").await;
        }
        self.told.join("\n")
    }

    /// Registers, and opens the browser.
    async fn begin(&mut self) -> Ask {
        let client = self.recorded.client();
        let resource = self.acme.resource();
        let endpoints = Endpoints::discover(&self.acme.gateway, &resource).await;
        let gateway = &self.acme.gateway;
        let answer = gateway.post_json(&endpoints.registration, &client.registration).await;
        assert_eq!(answer.status, 201, "{}: {}", client.name, answer.body);
        let registered = answer.json();
        assert_eq!(registered["redirect_uris"], client.registration["redirect_uris"]);
        let told = ["scope", "token_endpoint_auth_method"].map(|name| registered[name].as_str());
        self.told.push(format!("  registered: {told:?}"));
        let id = registered["client_id"].as_str().unwrap().to_owned();
        let registered = Registered { client, id, resource, endpoints };
        let mut ask = registered.ask();
        let authorize = self.recorded.part("authorize");
        for name in ["prompt", "state"] {
            if let Some(value) = authorize[name].as_str() {
                ask = ask.with(name, Some(value));
            }
        }
        if let Some(state) = authorize["state"].as_str() {
            state.clone_into(&mut ask.state);
        }
        ask
    }

    async fn exchange(&mut self, part: &str, ask: &Ask, fields: &[(&str, &str)]) -> Value {
        let recorded = self.recorded.part(part);
        let mut fields = fields.to_vec();
        let own = recorded["form"].as_object().into_iter().flatten();
        fields.extend(own.map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let mut request = Request::post(&ask.registered.endpoints.token)
            .header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers(&recorded) {
            request = request.header(name, value);
        }
        let request = request.body(Body::from(form(&fields))).unwrap();
        let answer = self.acme.gateway.send(request).await;
        assert_eq!(answer.status, 200, "{}: {part}: {}", self.recorded.name(), answer.body);
        let tokens = answer.json();
        let lifetime = tokens["expires_in"].as_u64();
        let lifetime = lifetime.map_or("ever".to_owned(), |seconds| seconds.to_string());
        self.told.push(format!("  {part}: {} for {lifetime}", tokens["scope"]));
        tokens
    }

    /// Those of the first messages that are wanted, with the token.
    async fn speak(&mut self, tokens: &Value, is_wanted: impl Fn(&str) -> bool) {
        let token = tokens["access_token"].as_str().unwrap();
        let messages = self.recorded.parts("messages");
        for message in messages.iter().filter(|message| is_wanted(title(message))) {
            let answer = self.send(message, Some(token)).await;
            let said = if answer.is_json() { said(&answer.json()) } else { String::new() };
            let status = answer.status.as_u16();
            self.told
                .push(format!("  {} -> {status} {said}", title(message)).trim_end().to_owned());
        }
    }

    async fn send(&self, message: &Value, token: Option<&str>) -> Answer {
        let method = message["method"].as_str().unwrap_or("POST");
        let mut request = Request::builder().method(method).uri(self.acme.resource());
        for (name, value) in headers(message) {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = message.get("body").map(Value::to_string).unwrap_or_default();
        self.acme.gateway.send(request.body(Body::from(body)).unwrap()).await
    }
}

fn headers(part: &Value) -> impl Iterator<Item = (&str, &str)> {
    let headers = part["headers"].as_object().into_iter().flatten();
    headers.map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
}

fn title(message: &Value) -> &str {
    message["body"]["method"].as_str().or_else(|| message["method"].as_str()).unwrap()
}

/// What an answer comes to.
fn said(answer: &Value) -> String {
    let result = &answer["result"];
    let tools = result["tools"].as_array().map(|tools| format!("{} tools", tools.len()));
    let version = result["protocolVersion"].as_str().map(str::to_owned);
    let versions = result["supportedVersions"].as_array().map(|it| it[0].to_string());
    let error = answer["error"].as_object().map(|error| error["code"].to_string());
    [tools, version, versions, error].into_iter().flatten().collect()
}

async fn replayed(lifetime: &str) -> String {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let lifetime = format!("access_token = \"{lifetime}\"");
    acme.apply(&acme.document().replace(r#"access_token = "8h""#, &lifetime)).await;
    let ada = acme.person("ada").member_of("docs").await;
    let mut told = Vec::new();
    for recorded in Recorded::all() {
        let replay = Replay { recorded: &recorded, acme: &acme, told: Vec::new() };
        told.push(replay.run(&ada).await);
    }
    told.join("\n")
}

/// What is told where no token runs out.
fn without_refresh(told: &str) -> String {
    let mut is_over = false;
    let lines = told.lines().filter(|line| {
        is_over = line.starts_with(' ') && (is_over || line.starts_with("  refresh:"));
        !is_over
    });
    lines.map(|line| line.replace("for 28800", "for ever")).collect::<Vec<_>>().join("\n")
}

// cli:8, cli:11, cli:12, cli:20, cli:23, cli:24, cli:25, cli:48, cli:53, cli:55, cli:62, cli:65,
// cli:67, cli:70, cli:73
#[tokio::test]
async fn every_client_as_it_was_recorded_gets_in_and_stays_in() {
    let told = replayed("8h").await;
    assert_snapshot!(told, @r#"
    ChatGPT (connectors)
      registered: [None, Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-11-25
      notifications/initialized -> 202
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Claude Code 2.1.332
      registered: [Some("read write"), Some("none")]
      token: "read write" for 28800
      server/discover -> 200 "2026-07-28"
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Claude (claude.ai)
      HEAD -> 401 Bearer
      registered: [Some("read write"), Some("none")]
      token: "read write" for 28800
      server/discover -> 200 "2026-07-28"
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Codex 0.171.0
      GET -> 401 Bearer
      registered: [Some("read write"), Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-06-18
      notifications/initialized -> 202
      tools/list -> 200 7 tools
      DELETE -> 405 -32600
      DELETE -> 405 -32600
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Cursor
      registered: [None, Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-11-25
      notifications/initialized -> 202
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Gemini CLI 0.61.0
      HEAD -> 401 Bearer
      registered: [None, Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-06-18
      notifications/initialized -> 202
      ping -> 200
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Goose
      registered: [None, Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-11-25
      notifications/initialized -> 202
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    VS Code (Copilot)
      registered: [Some("read write"), Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-11-25
      notifications/initialized -> 202
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    Zed
      registered: [Some("read write"), Some("none")]
      token: "read write" for 28800
      initialize -> 200 2025-11-25
      notifications/initialized -> 202
      tools/list -> 200 7 tools
      refresh: "read write" for 28800
      tools/list -> 200 7 tools
    "#);
    assert_eq!(replayed("until-revoked").await, without_refresh(&told));
}
