//! The authorization request: who is told what is wrong, and that asking mints nothing.

use insta::assert_snapshot;
use portico_testkit::{Answer, Browser, Client};
use url::Url;

use super::Scene;

/// What a browser is told without following anything.
async fn fetch(scene: &Scene, url: &str) -> Answer {
    scene.acme.gateway.fetch(url).await
}

/// The parameter's value. None is there twice.
fn parameter(location: &str, name: &str) -> Option<String> {
    let url = Url::parse(location).unwrap();
    let mut values = url.query_pairs().filter(|(known, _)| known == name);
    let value = values.next().map(|(_, value)| value.into_owned());
    assert_eq!(values.next(), None, "{location}");
    value
}

// cli:37, cli:35, sec:D01, sec:D02, sec:D09, mcp:A5
#[tokio::test]
async fn without_an_address_that_is_the_clients_the_person_is_told_and_nobody_else() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let unknown = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let good = ask.url();
    let mut titles = Vec::new();
    for (name, url) in [
        ("another id", ask.clone().with("client_id", Some(unknown)).url()),
        ("no id of ours", ask.clone().with("client_id", Some("nope")).url()),
        ("no id", ask.clone().with("client_id", None).url()),
        ("a foreign address", ask.clone().with("redirect_uri", Some("https://evil.test")).url()),
        ("the id twice", format!("{good}&client_id={}", ask.registered.id)),
        ("a state twice", format!("{good}&state=x")),
        ("a broken escape", format!("{good}&x=%ff")),
    ] {
        let answer = fetch(&scene, &url).await;
        let title = answer.body.split_once("<title>").unwrap().1.split_once('<').unwrap().0;
        let told = [answer.header("location"), answer.header("cache-control")];
        assert_eq!(told, [None, Some("no-store")], "{name}");
        titles.push(format!("{name}: {} {title}", answer.status.as_u16()));
    }
    assert_snapshot!(titles.join("\n"), @r#"
    another id: 400 This app is not known here · Acme
    no id of ours: 400 This app is not known here · Acme
    no id: 400 This app&#39;s request cannot be read · Acme
    a foreign address: 400 This app asked for an answer at another address · Acme
    the id twice: 400 This app&#39;s request cannot be read · Acme
    a state twice: 400 This app&#39;s request cannot be read · Acme
    a broken escape: 400 This app&#39;s request cannot be read · Acme
    "#);
    assert_eq!(scene.count("authorization_requests").await, 0);
}

/// What the page says: what happened, and what to do.
fn explanation(answer: &Answer) -> String {
    let main = answer.body.split_once("<main").unwrap().1.split_once("</main>").unwrap().0;
    let paragraphs = main.split("<p").skip(1).take(2).map(|it| it.split_once('>').unwrap().1);
    paragraphs.map(|it| it.split_once("</p>").unwrap().0).collect::<Vec<_>>().join("\n")
}

// cli:35, cli:37
#[tokio::test]
async fn a_person_whose_app_is_mistaken_learns_what_to_do_about_it() {
    let scene = Scene::new().await;
    let own = "https://tenant.app.n8n.cloud/rest/oauth2-credential/callback";
    let ask = scene.ask(Client::new("n8n", own)).await;
    let shared = Some("https://oauth.n8n.cloud/oauth2/callback");
    let answer = fetch(&scene, &ask.clone().with("redirect_uri", shared).url()).await;
    assert_snapshot!(explanation(&answer), @r"
    It wants the answer at https://oauth.n8n.cloud/oauth2/callback, and had registered https://tenant.app.n8n.cloud/rest/oauth2-credential/callback. Nothing was connected.
    This is a mistake of the app. Tell its makers both addresses.
    ");
    let unknown = Some("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b");
    let answer = fetch(&scene, &ask.with("client_id", unknown).url()).await;
    assert_snapshot!(explanation(&answer), @r"
    It remembers a registration that does not exist. Nothing was connected.
    Make the app forget the connection, then connect again. In Claude Code: /mcp, then clear the authentication. In other apps: remove the server and add it again.
    ");
}

// mcp:A2, mcp:A4, mcp:A9, sec:D05, sec:D07, sec:D17, sec:D19, sec:D22
#[tokio::test]
async fn a_mistake_goes_back_to_the_client_with_state_and_issuer() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let mut errors = Vec::new();
    for (name, value) in [
        ("code_challenge_method", Some("plain")),
        ("code_challenge_method", None),
        ("code_challenge", None),
        ("code_challenge", Some("short")),
        ("response_type", Some("token")),
        ("resource", Some("https://gateway.example/mcp/other")),
        ("prompt", Some("none")),
        ("request", Some("eyJ")),
        ("request_uri", Some("https://sink.test/x")),
    ] {
        let answer = fetch(&scene, &ask.clone().with(name, value).url()).await;
        let location = answer.header("location").unwrap();
        let read = |name| parameter(location, name).unwrap();
        assert!(location.starts_with("https://claude.ai/api/mcp/auth_callback?"), "{location}");
        let expected = (ask.state.clone(), ask.registered.endpoints.issuer.clone());
        assert_eq!((read("state"), read("iss")), expected, "{name}");
        errors.push(format!("{} {name}={value:?}: {}", answer.status.as_u16(), read("error")));
    }
    assert_snapshot!(errors.join("\n"), @r#"
    303 code_challenge_method=Some("plain"): invalid_request
    303 code_challenge_method=None: invalid_request
    303 code_challenge=None: invalid_request
    303 code_challenge=Some("short"): invalid_request
    303 response_type=Some("token"): unsupported_response_type
    303 resource=Some("https://gateway.example/mcp/other"): invalid_target
    303 prompt=Some("none"): interaction_required
    303 request=Some("eyJ"): request_not_supported
    303 request_uri=Some("https://sink.test/x"): request_uri_not_supported
    "#);
    assert_eq!(scene.count("authorization_requests").await, 0);
}

// cli:36, cli:52, sec:D18
#[tokio::test]
async fn asking_mints_nothing_and_may_be_repeated() {
    let mut scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    // An app that looks before it opens the browser.
    let looked = fetch(&scene, &ask.url()).await;
    assert_eq!(looked.status, 303);
    let challenge = parameter(&ask.url(), "code_challenge").unwrap();
    for told in [looked.header("location"), looked.header("set-cookie"), Some(&*looked.body)] {
        assert_eq!(told.unwrap().matches(&challenge).count(), 0, "{told:?}");
    }
    let first = scene.ada.allow(&mut scene.browser, &ask).await;
    // "Reconnect" opens the address that was answered before.
    let second = scene.ada.allow(&mut scene.browser, &ask).await;
    let codes = [ask.code(&first), ask.code(&second)];
    assert_ne!(codes[0], codes[1]);
    assert_eq!(scene.count("authorization_codes").await, 2);
    for code in codes {
        assert_eq!(ask.exchange(&scene.acme.gateway, &code).await.status, 200);
    }
}

// cli:43, mcp:A16, sec:D15
#[tokio::test]
async fn a_state_comes_back_as_it_was_sent() {
    let mut scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    for state in ["gXVXo0/iMD8WMolDHKxSTg==", "a&code=evil#x +%0d%0a", "\u{202e}\u{1f331}"] {
        let mut ask = ask.clone().with("state", Some(state));
        state.clone_into(&mut ask.state);
        let callback = scene.ada.allow(&mut scene.browser, &ask).await;
        ask.code(&callback);
    }
    let long = "x".repeat(4_096);
    let answer = fetch(&scene, &ask.clone().with("state", Some(&long)).url()).await;
    assert_eq!(answer.status, 303);
    let answer = fetch(&scene, &ask.with("state", Some(&format!("{long}x"))).url()).await;
    let location = answer.header("location").unwrap();
    let error = ["error", "state"].map(|name| parameter(location, name));
    assert_eq!(error, [Some("invalid_request".to_owned()), None]);
}

// cli:38
#[tokio::test]
async fn an_app_on_the_computer_may_use_any_port() {
    let mut scene = Scene::new().await;
    let mut ask = scene.ask(Client::claude_code()).await;
    let other = "http://localhost:1/callback".to_owned();
    ask = ask.with("redirect_uri", Some(&other));
    ask.registered.client.redirect_uri = other;
    let callback = scene.ada.allow(&mut scene.browser, &ask).await;
    let code = ask.code(&callback);
    assert_eq!(ask.exchange(&scene.acme.gateway, &code).await.status, 200);
}

// cli:46, cli:48, mcp:A14
#[tokio::test]
async fn what_clients_leave_out_or_add_does_not_stop_them() {
    let mut scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    for (name, value, granted) in [
        ("resource", None, "read write"),
        ("resource", Some("https://gateway.example/mcp/boards/"), "read write"),
        ("scope", Some("read offline_access"), "read"),
        ("scope", Some(" offline_access"), "read write"),
        ("prompt", Some("consent"), "read write"),
    ] {
        let ask = ask.clone().with(name, value);
        let callback = scene.ada.allow(&mut scene.browser, &ask).await;
        let answer = ask.exchange(&scene.acme.gateway, &ask.code(&callback)).await;
        assert_eq!(answer.json()["scope"], granted, "{name}={value:?}");
    }
}

#[tokio::test]
async fn each_browser_gets_a_secret_that_scripts_cannot_read() {
    let scene = Scene::new().await;
    let ask = scene.ask(Client::claude()).await;
    let answer = fetch(&scene, &ask.url()).await;
    let cookie = answer.header("set-cookie").unwrap();
    let (name, rest) = cookie.split_once('=').unwrap();
    let flags = rest.split_once(';').unwrap().1;
    let expected = ("__Host-portico_browser_acme", " Path=/; Secure; HttpOnly; SameSite=Lax");
    assert_eq!((name, flags), expected);
    let mut browser = Browser::new(&scene.acme.gateway);
    browser.open(&ask.url()).await;
    let held = browser.cookies();
    browser.open(&ask.url()).await;
    assert_eq!(browser.cookies(), held);
}
