//! The authorization server as clients meet it: what it says, refuses, and never does twice.

mod authorize;
mod discovery;
mod refresh;
mod registration;
mod revocation;
mod token;

use axum::body::Body;
use http::Request;
use portico_testkit::client::Ask;
use portico_testkit::{Answer, Browser, Client, Database, Gateway, Person, Tenant};

/// A person, an app that registered, and the browser between them.
struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
    browser: Browser,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").await;
        let browser = ada.browser().await;
        Self { db, acme, ada, browser }
    }

    /// Another request of that app.
    async fn ask(&self, client: Client) -> Ask {
        client.register(&self.acme.gateway, &self.acme.resource()).await.ask()
    }

    /// A request that ada allowed, and its code.
    async fn allowed(&mut self, client: Client) -> (Ask, String) {
        let ask = self.ask(client).await;
        let callback = self.ada.allow(&mut self.browser, &ask).await;
        let code = ask.code(&callback);
        (ask, code)
    }

    async fn count(&self, table: &str) -> u64 {
        let rows = self.db.rows(&format!("select count(*) as n from {table}")).await;
        rows[0]["n"].as_u64().unwrap()
    }
}

/// The form with another value of a field, or without it.
fn changed<'a>(
    form: &[(&'static str, &'a str)],
    name: &'static str,
    value: Option<&'a str>,
) -> Vec<(&'static str, &'a str)> {
    let kept = form.iter().copied().filter(|(known, _)| *known != name);
    kept.chain(value.map(|value| (name, value))).collect()
}

/// The declaration with tokens that live until somebody ends them.
fn until_revoked(document: &str) -> String {
    let other = |line: &&str| !line.starts_with("access_token");
    let lines: Vec<&str> = document.lines().filter(other).collect();
    lines.join("\n").replace("[oauth]", "[oauth]\naccess_token = \"until-revoked\"")
}

/// A POST as nobody's library would send it.
async fn post(gateway: &Gateway, path: &str, headers: &[(&str, &str)], body: String) -> Answer {
    let mut request = Request::post(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    gateway.send(request.body(Body::from(body)).unwrap()).await
}
