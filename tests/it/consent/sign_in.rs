//! Signing in: it tells nobody who exists, and leads nowhere else.

use http::Request;
use insta::assert_snapshot;
use portico_storage as storage;
use portico_testkit::{Answer, Browser, Page};

use super::Scene;

impl Scene {
    async fn sign_in(&self, email: &str, password: &str) -> Answer {
        let form = Request::post(self.acme.url("/sign-in"));
        let fields = [("email", email), ("password", password)];
        Browser::new(&self.acme.gateway).send(form, &fields).await
    }
}

#[tokio::test]
async fn a_stranger_and_a_wrong_password_are_answered_alike() {
    let scene = Scene::new().await;
    let mut conn = storage::acquire(scene.acme.gateway.pool()).await.unwrap();
    let passwordless = "eve@acme.example";
    storage::person::ensure(&mut conn, scene.acme.id, passwordless, "Eve").await.unwrap();
    drop(conn);
    let mut bob = scene.acme.person("bob").member_of("docs").await;
    bob.disable().await;
    "wrong".clone_into(&mut bob.password);

    let wrong = scene.sign_in(&scene.ada.email, "wrong").await;
    for email in ["who@acme.example", passwordless, &bob.email, "ada@globex.example"] {
        let mut answer = scene.sign_in(email, "wrong").await;
        answer.body = answer.body.replace(email, &scene.ada.email);
        answer.headers.remove("content-length");
        let mut wrong = wrong.clone();
        wrong.headers.remove("content-length");
        assert_eq!((answer.headers, answer.body), (wrong.headers, wrong.body), "{email}");
        assert_eq!(answer.status, wrong.status, "{email}");
    }
}

#[tokio::test]
async fn whatever_is_typed_is_answered_with_the_form() {
    let scene = Scene::new().await;
    let long = "x".repeat(15_000);
    let mut told = Vec::new();
    for (name, email, password) in [
        ("NUL in the address", "ada\0@acme.example", "x"),
        ("only NUL", "\0", "\0"),
        ("NUL in the password", &scene.ada.email, "\0x\0"),
        ("a long address", &long, "x"),
        ("a long password", &scene.ada.email, &long),
        ("lines", "ada@acme.example\r\nset-cookie: a=b", "x"),
        ("a pattern", "%", "%"),
        ("markup", "\"><script>alert(1)</script>", "x"),
        ("blank", "  ", "x"),
        ("no password", "ada@acme.example", ""),
        ("too long to read", &format!("{long}{long}"), "x"),
    ] {
        let mut page = scene.page.clone();
        page.answer = scene.sign_in(email, password).await;
        told.push(format!("{name}: {}", page.brief()));
    }
    assert_snapshot!(told.join("\n"), @r#"
    NUL in the address: 422 Error: Sign in
    only NUL: 422 Error: Sign in
    NUL in the password: 422 Error: Sign in
    a long address: 422 Error: Sign in
    a long password: 422 Error: Sign in
    lines: 422 Error: Sign in
    a pattern: 422 Error: Sign in
    markup: 422 Error: Sign in
    blank: 422 Error: Sign in
    no password: 422 Error: Sign in
    too long to read: 400 We could not read this form
    "#);
    let spaced = format!(" {} ", scene.ada.email.to_uppercase());
    assert_eq!(scene.sign_in(&spaced, &scene.ada.password).await.status, 303);
}

// sec:E17
#[tokio::test]
async fn nothing_in_the_address_says_where_signing_in_leads() {
    let scene = Scene::new().await;
    let mut led = Vec::new();
    for target in [
        "https://evil.test",
        "//evil.test",
        "/\\evil.test",
        "%2f%2fevil.test",
        "javascript:alert(1)",
    ] {
        let mut browser = Browser::new(&scene.acme.gateway);
        let query = format!("next={target}&return_to={target}&redirect_uri={target}");
        let page = browser.open(&scene.acme.url(&format!("/sign-in?{query}"))).await;
        let page = scene.ada.sign_in(&mut browser, &page).await;
        let posted = Browser::new(&scene.acme.gateway)
            .post(
                &scene.acme.url(&format!("/sign-in?{query}")),
                &[
                    ("email", &scene.ada.email),
                    ("password", &scene.ada.password),
                    ("next", target),
                    ("return_to", target),
                ],
            )
            .await;
        let asked = browser.open(&scene.acme.url(&format!("/sign-in?request={target}"))).await;
        led.extend(
            [&page, &posted, &asked].map(|page| format!("{} {}", page.url.path(), page.brief())),
        );
    }
    led.sort();
    led.dedup();
    assert_snapshot!(led.join("\n"), @r#"
    /connections 200 Your connections
    /sign-in 400 This request has expired
    "#);
}

// sec:E17
#[tokio::test]
async fn an_odd_path_is_led_nowhere() {
    let scene = Scene::new().await;
    let shared = portico_testkit::Gateway::shared(&scene.db).await;
    let mut told = Vec::new();
    for (gateway, path) in [
        (&scene.acme.gateway, "//evil.test/connections"),
        (&scene.acme.gateway, "/%2f%2fevil.test"),
        (&scene.acme.gateway, "/connections//evil.test"),
        (&shared, "/v/acme//evil.test/connections"),
        (&shared, "/v/acme/connections"),
        (&shared, "/v//evil.test/connections"),
        (&shared, "/connections"),
    ] {
        let answer = gateway.fetch(path).await;
        told.push(format!("{} {path} {:?}", answer.status.as_u16(), answer.header("location")));
    }
    assert_snapshot!(told.join("\n"), @r#"
    404 //evil.test/connections None
    404 /%2f%2fevil.test None
    404 /connections//evil.test None
    404 /v/acme//evil.test/connections None
    303 /v/acme/connections Some("/v/acme/sign-in")
    404 /v//evil.test/connections None
    404 /connections None
    "#);
}

// cli:51, pre:O6
#[tokio::test]
async fn whoever_was_sent_to_sign_in_comes_back_to_the_question() {
    let scene = Scene::new().await;
    let mut browser = Browser::new(&scene.acme.gateway);
    let page = browser.open(&scene.ask.url()).await;
    assert_eq!(page.url.path(), "/sign-in");
    let typo = browser.press(&page, "Sign in", &[("email", &scene.ada.email)]).await;
    let wrong = browser.press(&typo, "Sign in", &[("password", "wrong")]).await;
    let question = scene.ada.sign_in(&mut browser, &wrong).await;
    let briefs = [&page, &typo, &wrong, &question].map(Page::brief);
    assert_eq!(
        briefs,
        ["200 Sign in", "422 Error: Sign in", "422 Error: Sign in", "200 Connect Claude to Acme?"]
    );
    assert_eq!(question.parameter("request"), page.parameter("request"));
}
