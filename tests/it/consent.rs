//! The question whether an app may connect, and the one answer that it may have.

mod choice;
mod pages;
mod sign_in;

use std::time::Duration;

use axum::http::request::Builder;
use http::Request;
use insta::assert_snapshot;
use portico_testkit::client::Ask;
use portico_testkit::{Answer, Browser, Client, Database, ORIGIN, Page, Person, Tenant};
use tokio::task::JoinSet;

const SENT: &str = "gXVXo0/iMD8WMolDHKxSTg==+%26 é";

/// Ada is signed in, and the question is on her screen.
struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
    browser: Browser,
    ask: Ask,
    page: Page,
}

impl Scene {
    async fn new() -> Self {
        Self::asked_by(Client::claude()).await
    }

    async fn asked_by(client: Client) -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").await;
        let mut browser = ada.browser().await;
        let registered = client.register(&acme.gateway, &acme.resource()).await;
        let ask = registered.ask().with("state", Some(SENT));
        let page = browser.open(&ask.url()).await;
        assert_eq!(page.brief(), format!("200 Connect {} to Acme?", client.name));
        Self { db, acme, ada, browser, ask, page }
    }

    fn fields(&self, decision: &str) -> Vec<(&'static str, String)> {
        vec![
            ("request", self.page.parameter("request").unwrap()),
            ("person", self.ada.id.to_string()),
            ("decision", decision.to_owned()),
            ("access", "all".to_owned()),
            ("workspaces", "all".to_owned()),
        ]
    }

    /// What the page's form sends, by another request than the page's.
    async fn decide(&self, request: Builder, fields: &[(&'static str, String)]) -> Answer {
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.browser.send(request, &fields).await
    }

    fn form(&self) -> Builder {
        Request::post(self.acme.url("/consent"))
    }

    /// Connections and codes that were made.
    async fn made(&self) -> [usize; 2] {
        let connections = self.db.rows("select connection_id from connections").await.len();
        [connections, self.db.rows("select connection_id from authorization_codes").await.len()]
    }
}

/// Status and headers, with what is different each time left out.
fn head(answer: &Answer) -> String {
    let mut lines: Vec<String> = answer
        .headers
        .iter()
        .filter(|(name, _)| *name != "content-length")
        .map(|(name, value)| format!("{name}: {}", without_code(value.to_str().unwrap())))
        .collect();
    lines.sort();
    lines.insert(0, answer.status.as_u16().to_string());
    lines.join("\n")
}

fn without_code(location: &str) -> String {
    let Some((before, rest)) = location.split_once("code=portico_ac_") else {
        return location.to_owned();
    };
    let end = rest.find('&').unwrap_or(rest.len());
    format!("{before}code=[code]{}", &rest[end..])
}

// cli:40, cli:43, mcp:A4, mcp:A16, sec:E14, sec:E16
#[tokio::test]
async fn a_yes_goes_back_with_a_code_and_all_that_the_client_sent() {
    let mut scene = Scene::new().await;
    let answer = scene.decide(scene.form(), &scene.fields("allow")).await;
    assert_snapshot!(head(&answer), @r#"
    303
    cache-control: no-store
    location: https://claude.ai/api/mcp/auth_callback?code=[code]&state=gXVXo0%2FiMD8WMolDHKxSTg%3D%3D%2B%2526%20%C3%A9&iss=https%3A%2F%2Fgateway.example
    referrer-policy: no-referrer
    "#);
    assert_eq!(answer.body, "");
    scene.page.url = answer.header("location").unwrap().parse().unwrap();
    assert_eq!(scene.page.parameter("state").as_deref(), Some(SENT));
    SENT.clone_into(&mut scene.ask.state);
    let code = scene.ask.code(&scene.page.url);
    assert_eq!(scene.ask.exchange(&scene.acme.gateway, &code).await.status, 200);
}

// cli:50, mcp:A4, sec:E16
#[tokio::test]
async fn a_no_goes_back_too() {
    let scene = Scene::asked_by(Client::cursor()).await;
    let answer = scene.decide(scene.form(), &scene.fields("cancel")).await;
    assert_snapshot!(head(&answer), @r#"
    303
    cache-control: no-store
    location: cursor://anysphere.cursor-mcp/oauth/callback?error=access_denied&error_description=the%20person%20said%20no&state=gXVXo0%2FiMD8WMolDHKxSTg%3D%3D%2B%2526%20%C3%A9&iss=https%3A%2F%2Fgateway.example
    referrer-policy: no-referrer
    "#);
    assert_eq!(scene.made().await, [0, 0]);
}

// sec:E07
#[tokio::test(flavor = "multi_thread")]
async fn of_sixteen_presses_of_allow_one_counts_and_the_others_are_told() {
    let scene = Scene::new().await;
    let wide = scene.acme.gateway.with_pool(scene.db.pool_of(16).await).await;
    let mut racing = JoinSet::new();
    for _ in 0..16 {
        let (mut browser, page) = (scene.browser.clone().before(&wide), scene.page.clone());
        racing.spawn(async move { browser.press(&page, "Allow", &[]).await });
    }
    let pages = racing.join_all().await;
    let (left, told): (Vec<_>, Vec<_>) = pages.into_iter().partition(Page::has_left);
    assert_eq!((left.len(), scene.made().await), (1, [1, 1]));
    let told: Vec<String> = told.iter().map(Page::brief).collect();
    assert_eq!(told, vec!["400 You have already answered"; 15]);
}

// cli:51, sec:E08
#[tokio::test]
async fn a_request_that_has_expired_is_a_page_wherever_it_is_named() {
    let scene = Scene::new().await;
    let later = scene.acme.gateway.later(&scene.db, Duration::from_mins(31)).await;
    let mut browser = scene.browser.clone().before(&later);
    let request = scene.page.parameter("request").unwrap();
    let sign_in = scene.acme.url(&format!("/sign-in?request={request}"));
    let fields =
        [("request", &*request), ("email", &scene.ada.email), ("password", &scene.ada.password)];
    let pages = [
        browser.open(scene.page.url.as_str()).await,
        browser.open(&sign_in).await,
        browser.post(&scene.acme.url("/sign-in"), &fields).await,
        browser.press(&scene.page, "Allow", &[]).await,
        browser.press(&scene.page, "Cancel", &[]).await,
    ];
    assert_eq!(pages.map(|page| page.brief()), ["400 This request has expired"; 5]);
    assert_eq!(scene.made().await, [0, 0]);
}

// sec:E08
#[tokio::test]
async fn whoever_sits_at_the_browser_later_cannot_answer_for_the_one_who_was_asked() {
    let mut scene = Scene::new().await;
    let bob = scene.acme.person("bob").member_of("docs").await;
    let connections = scene.browser.open(&scene.acme.url("/connections")).await;
    let out = scene.browser.press(&connections, "Sign out", &[]).await;
    let signed_out = scene.browser.press(&scene.page, "Allow", &[]).await;
    bob.sign_in(&mut scene.browser, &out).await;
    let other = scene.browser.press(&scene.page, "Allow", &[]).await;
    let told = [&out, &signed_out, &other].map(Page::brief);
    assert_eq!(
        told,
        ["200 Sign in", "400 You are signed out", "400 You are signed in as someone else now"]
    );
    assert_eq!(scene.made().await, [0, 0]);

    // Refused answers are no answers: the one who was asked may still give theirs.
    let mut browser = scene.browser.clone();
    let sign_in = browser.open(&scene.acme.url("/sign-in")).await;
    scene.ada.sign_in(&mut browser, &sign_in).await;
    assert!(browser.press(&scene.page, "Allow", &[]).await.has_left());
}

// sec:E09
#[tokio::test]
async fn a_browser_that_did_not_begin_a_request_finds_no_way_into_it() {
    let scene = Scene::new().await;
    let request = scene.page.parameter("request").unwrap();
    let mut stranger = Browser::new(&scene.acme.gateway);
    // It has begun a request too, and so has a secret of its own.
    let mut signed_in = scene.ada.browser().await;
    signed_in.open(&scene.ask.url()).await;
    let pages = [
        stranger.open(scene.page.url.as_str()).await,
        signed_in.open(scene.page.url.as_str()).await,
        signed_in.open(&scene.acme.url(&format!("/sign-in?request={request}"))).await,
        signed_in.press(&scene.page, "Allow", &[]).await,
        signed_in.press(&scene.page, "Cancel", &[]).await,
    ];
    assert_eq!(pages.map(|page| page.brief()), ["403 This request began in another browser"; 5]);
    assert_eq!(scene.made().await, [0, 0]);
}

// sec:E03
#[tokio::test]
async fn an_answer_counts_only_if_our_own_page_sent_it() {
    let scene = Scene::new().await;
    let fields = scene.fields("allow");
    for headers in [
        vec![("sec-fetch-site", "cross-site"), ("origin", "https://evil.test")],
        vec![("sec-fetch-site", "cross-site"), ("origin", ORIGIN)],
        vec![("sec-fetch-site", "same-site"), ("origin", "https://other.gateway.example")],
        vec![("sec-fetch-site", "cross-site")],
        vec![("origin", "https://evil.test")],
        vec![("origin", "https://gateway.example.evil.test")],
        vec![("origin", "https://gateway.example:8443")],
        vec![("origin", "null")],
    ] {
        let form =
            headers.iter().fold(scene.form(), |form, (name, value)| form.header(*name, *value));
        let answer = scene.decide(form, &fields).await;
        let told = (answer.status.as_u16(), answer.header("location"));
        assert_eq!((told, scene.made().await), ((403, None), [0, 0]), "{headers:?}");
    }
    let query: Vec<_> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let opened = scene.browser.clone().open(&format!("/consent?{}", query.join("&"))).await;
    assert_eq!((opened.brief(), scene.made().await), (scene.page.brief(), [0, 0]));
    assert!(scene.browser.clone().press(&scene.page, "Allow", &[]).await.has_left());
}

// sec:E03, sec:E06
#[tokio::test]
async fn the_forms_fields_decide_nothing_but_yes_or_no() {
    let mut scene = Scene::new().await;
    let evil = Client::new("Evil", "https://evil.test/cb").asking_for("read write delete");
    let evil = evil.register(&scene.acme.gateway, &scene.acme.resource()).await.ask();
    let other = scene.browser.open(&evil.url()).await;
    let mut fields = scene.fields("allow");
    let stolen = [
        ("client_id", evil.registered.id.clone()),
        ("redirect_uri", "https://evil.test/cb".to_owned()),
        ("scope", "read write delete".to_owned()),
        ("state", evil.state.clone()),
        ("resource", "https://evil.test/mcp".to_owned()),
        ("code_challenge", evil.verifier.clone()),
    ];
    for (name, value) in [
        ("request", other.parameter("request").unwrap()),
        ("request", "nothing".to_owned()),
        ("person", "01900000-0000-7000-8000-000000000000".to_owned()),
        ("decision", "maybe".to_owned()),
        ("decision", "cancel".to_owned()),
        ("access", "read".to_owned()),
        ("workspaces", "some".to_owned()),
    ] {
        let twice = [fields.clone(), vec![(name, value.clone())]].concat();
        let answer = scene.decide(scene.form(), &twice).await;
        assert_eq!((answer.status.as_u16(), scene.made().await), (400, [0, 0]), "{name}={value}");
    }
    fields.extend(stolen);
    let answer = scene.decide(scene.form(), &fields).await;
    let mut page = scene.page.clone();
    page.url = answer.header("location").unwrap().parse().unwrap();
    SENT.clone_into(&mut scene.ask.state);
    let code = scene.ask.code(&page.url);
    let answer = scene.ask.exchange(&scene.acme.gateway, &code).await;
    assert_eq!(answer.json()["scope"], "read write");
    let kept = scene.db.rows("select client_id, resource from connections").await;
    let expected = serde_json::json!([{
        "client_id": scene.ask.registered.id,
        "resource": scene.ask.registered.resource,
    }]);
    assert_eq!(serde_json::Value::Array(kept), expected);
}

// sec:E22
#[tokio::test]
async fn a_person_who_is_switched_off_is_asked_nothing() {
    let scene = Scene::new().await;
    scene.ada.disable().await;
    let mut browser = scene.browser.clone();
    let pages = [
        browser.open(scene.page.url.as_str()).await,
        browser.press(&scene.page, "Allow", &[]).await,
        browser.press(&scene.page, "Cancel", &[]).await,
        browser.open(&scene.acme.url("/connections")).await,
    ];
    assert_eq!(pages.map(|page| page.brief()), ["403 This account is switched off"; 4]);
    assert_eq!(scene.made().await, [0, 0]);
}
