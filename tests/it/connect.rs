//! From a refused call to a working one: what a person allows, in their own browser, once.

use std::time::Duration;

use portico_testkit::client::Ask;
use portico_testkit::{Browser, Client, Database, Gateway, Person, Tenant};
use serde_json::json;

struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").await;
        Self { db, acme, ada }
    }

    async fn ask(&self, client: Client) -> Ask {
        client.register(&self.acme.gateway, &self.acme.resource()).await.ask()
    }

    async fn connections(&self) -> usize {
        self.db.rows("select * from connections").await.len()
    }
}

// cli:20, mcp:A8
#[tokio::test]
async fn every_kind_of_app_connects_and_is_let_in() {
    let scene = Scene::new().await;
    for client in [Client::claude(), Client::chatgpt(), Client::claude_code(), Client::cursor()] {
        let name = client.name.clone();
        let connection = scene.ada.connect(client).await;
        assert_eq!(connection.ask("ping", json!({})).await.status, 200, "{name}");
    }
}

// sec:D26, mcp:R8
#[tokio::test]
async fn tenants_of_one_origin_are_strangers_to_each_other() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let acme = Tenant::named(gateway.clone(), "acme").await;
    let globex = Tenant::named(gateway.clone(), "globex").await;
    let ada = acme.person("ada").member_of("docs").await;
    let bob = globex.person("bob").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    assert_eq!(claude.ask("ping", json!({})).await.status, 200);

    let mut elsewhere = bob.connect(Client::claude()).await;
    elsewhere.token.clone_from(&claude.token);
    assert_eq!(elsewhere.ask("ping", json!({})).await.status, 401);

    let mut ask = claude.registered.ask();
    ask.registered.endpoints.authorization = globex.url("/oauth/authorize");
    let page = Browser::new(&gateway).open(&ask.url()).await;
    assert_eq!(page.brief(), "400 This app is not known here");
}

// cli:50, sec:E16, mcp:A4
#[tokio::test]
async fn a_person_who_says_no_is_sent_back_with_that_and_nothing_is_made() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let mut browser = scene.ada.browser().await;
    let page = browser.open(&ask.url()).await;
    let page = browser.press(&page, "Cancel", &[]).await;
    assert_eq!(page.answer.status, 303);
    let told = ["error", "state", "iss", "code"].map(|name| page.parameter(name));
    let state = Some(ask.state.clone());
    let issuer = Some(ask.registered.endpoints.issuer.clone());
    assert_eq!(told, [Some("access_denied".to_owned()), state, issuer, None]);
    assert_eq!(scene.connections().await, 0);
}

// sec:E07
#[tokio::test]
async fn a_request_is_answered_once() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let mut browser = scene.ada.browser().await;
    let page = browser.open(&ask.url()).await;
    assert!(browser.press(&page, "Allow", &[]).await.has_left());
    let again = browser.press(&page, "Allow", &[]).await;
    assert_eq!(again.brief(), "400 You have already answered");
    let after = browser.press(&page, "Cancel", &[]).await;
    assert_eq!(after.brief(), "400 You have already answered");
    assert_eq!(scene.connections().await, 1);
}

// sec:E06
#[tokio::test]
async fn two_requests_in_two_tabs_do_not_mix() {
    let scene = Scene::new().await;
    let (claude, chatgpt) = (scene.ask(Client::claude()).await, scene.ask(Client::chatgpt()).await);
    let mut browser = scene.ada.browser().await;
    let first = browser.open(&claude.url()).await;
    let second = browser.open(&chatgpt.url()).await;
    let second = browser.press(&second, "Allow", &[]).await;
    let first = browser.press(&first, "Allow", &[]).await;
    for (ask, page) in [(claude, first), (chatgpt, second)] {
        let answer = ask.exchange(&scene.acme.gateway, &ask.code(&page.url)).await;
        assert_eq!(answer.status, 200);
    }
}

// sec:E09
#[tokio::test]
async fn a_request_that_began_in_another_browser_cannot_be_answered() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let begun = Browser::new(&scene.acme.gateway).open(&ask.url()).await;
    let mut other = scene.ada.browser().await;
    let page = other.open(begun.url.as_str()).await;
    assert_eq!(page.brief(), "403 This request began in another browser");
    let request = begun.parameter("request").unwrap();
    let fields = [
        ("request", request.as_str()),
        ("person", &scene.ada.id.to_string()),
        ("decision", "allow"),
    ];
    let page = other.post(&scene.acme.url("/consent"), &fields).await;
    assert_eq!(page.brief(), "403 This request began in another browser");
    assert_eq!(scene.connections().await, 0);
}

// sec:E08
#[tokio::test]
async fn a_request_waits_half_an_hour() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let browser = scene.ada.browser().await;
    for (minutes, expected) in [(29, None), (31, Some("400 This request has expired"))] {
        let passed = Duration::from_mins(minutes);
        let later = scene.acme.gateway.later(&scene.db, passed).await;
        let mut before = browser.clone();
        let page = before.open(&ask.url()).await;
        let page = before.before(&later).press(&page, "Allow", &[]).await;
        assert_eq!((!page.has_left()).then(|| page.brief()).as_deref(), expected, "{minutes}");
    }
}

// sec:E22
#[tokio::test]
async fn a_person_who_was_disabled_while_reading_cannot_allow() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let mut browser = scene.ada.browser().await;
    let page = browser.open(&ask.url()).await;
    scene.ada.disable().await;
    let page = browser.press(&page, "Allow", &[]).await;
    assert_eq!(page.brief(), "403 This account is switched off");
    assert_eq!(scene.connections().await, 0);
}

// pre:O5
#[tokio::test]
async fn an_address_that_the_tenant_no_longer_accepts_is_not_sent_to() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::cursor()).await;
    let mut browser = scene.ada.browser().await;
    let page = browser.open(&ask.url()).await;
    let strict = scene.acme.document().replace("known-apps", "https-or-loopback");
    scene.acme.apply(&strict).await;
    let page = browser.before(&scene.acme.gateway).press(&page, "Allow", &[]).await;
    assert!(!page.has_left(), "{}", page.url);
    assert_eq!(scene.connections().await, 0);
}
