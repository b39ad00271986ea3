//! What every page has in common, and that nothing an app says changes one.

use axum::body::Body;
use http::{HeaderMap, Request};
use insta::assert_snapshot;
use portico_testkit::{Answer, Client, Gateway, Tenant};

use super::{Scene, head};

/// Method, path and form of a request for each page that there is.
const ASKED: &[(&str, &str, &str)] = &[
    ("GET", "/", ""),
    ("GET", "/sign-in", ""),
    ("GET", "/sign-in?{request}", ""),
    ("GET", "/consent?{request}", ""),
    ("HEAD", "/consent?{request}", ""),
    ("GET", "/connections", ""),
    ("GET", "/connections?disconnected=x", ""),
    ("POST", "/sign-in", "email=&password="),
    ("POST", "/sign-in", "email=ada&password=wrong"),
    ("POST", "/sign-in", "email=twice&email=twice&password=x"),
    ("POST", "/sign-in", "email={long}&password=x"),
    ("POST", "/consent", ""),
    ("POST", "/connections/7/disconnect", ""),
    ("GET", "/consent", ""),
    ("GET", "/consent?request=01900000-0000-7000-8000-000000000000", ""),
    ("GET", "/oauth/authorize", ""),
    ("GET", "/oauth/authorize?client_id=7", ""),
    ("GET", "/nothing", ""),
    ("POST", "/nothing", ""),
    ("GET", "/sign-out", ""),
    ("PUT", "/", ""),
    ("POST", "/oauth/authorize", ""),
    ("PUT", "/connections", ""),
    ("PUT", "/consent", ""),
    ("GET", "/connections/7/disconnect", ""),
];

/// What is the same for all pages: without length, cookies and the methods that are possible.
fn common(mut answer: Answer) -> HeaderMap {
    for name in ["set-cookie", "allow", "content-length"] {
        answer.headers.remove(name);
    }
    answer.headers
}

// sec:E01, sec:E02, sec:E14, sec:E15
#[tokio::test]
async fn every_page_carries_the_same_headers_whatever_it_says() {
    let scene = Scene::new().await;
    let request = scene.page.url.query().unwrap().to_owned();
    let long = "x".repeat(20_000);
    let mut statuses = Vec::new();
    let mut heads = Vec::new();
    for (method, path, body) in ASKED {
        let (path, body) = (path.replace("{request}", &request), body.replace("{long}", &long));
        let target = Request::builder().method(*method).uri(scene.acme.url(&path));
        let sent: Vec<_> = body.split('&').filter_map(|field| field.split_once('=')).collect();
        let answer = scene.browser.send(target, &sent).await;
        let shown: String = path.split("?request=").next().unwrap().chars().take(40).collect();
        statuses.push(format!("{} {method} {shown}", answer.status.as_u16()));
        heads.push((format!("{method} {path}"), common(answer)));
    }
    let foreign = Request::post(scene.acme.url("/consent")).header("sec-fetch-site", "cross-site");
    let answer = scene.browser.send(foreign, &[]).await;
    statuses.push(format!("{} cross-site", answer.status.as_u16()));
    heads.push(("cross-site".to_owned(), common(answer)));
    let nobody = Gateway::shared(&scene.db).await.fetch("/v/nobody/connections").await;
    statuses.push(format!("{} nobody's", nobody.status.as_u16()));
    heads.push(("nobody's".to_owned(), common(nobody)));

    assert_snapshot!(statuses.join("\n"), @r#"
    200 GET /
    200 GET /sign-in
    200 GET /sign-in
    200 GET /consent
    200 HEAD /consent
    200 GET /connections
    200 GET /connections?disconnected=x
    422 POST /sign-in
    422 POST /sign-in
    400 POST /sign-in
    400 POST /sign-in
    400 POST /consent
    404 POST /connections/7/disconnect
    400 GET /consent
    400 GET /consent
    400 GET /oauth/authorize
    400 GET /oauth/authorize?client_id=7
    404 GET /nothing
    404 POST /nothing
    405 GET /sign-out
    405 PUT /
    405 POST /oauth/authorize
    405 PUT /connections
    405 PUT /consent
    405 GET /connections/7/disconnect
    403 cross-site
    404 nobody's
    "#);
    let (_, first) = heads[0].clone();
    for (name, found) in heads {
        assert_eq!(found, first, "{name}");
    }
    let mut one = scene.acme.gateway.fetch("/").await;
    one.body.clear();
    assert_snapshot!(head(&one), @r#"
    200
    cache-control: no-store
    content-security-policy: default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'
    content-type: text/html; charset=utf-8
    referrer-policy: same-origin
    x-content-type-options: nosniff
    x-frame-options: DENY
    "#);
}

// sec:E16
#[tokio::test]
async fn what_follows_a_form_is_always_asked_for_by_get() {
    let scene = Scene::new().await;
    let connection = scene.ada.connect(Client::cursor()).await;
    let rows = scene.db.rows("select connection_id from connections").await;
    let id = rows[0]["connection_id"].as_str().unwrap().to_owned();
    drop(connection);
    let (email, password) = (scene.ada.email.clone(), scene.ada.password.clone());
    let credentials = vec![("email", email), ("password", password)];
    let mut statuses = Vec::new();
    for (path, fields) in [
        ("/sign-in".to_owned(), credentials),
        // Signing in ended the session that this browser holds.
        ("/sign-out".to_owned(), vec![]),
    ] {
        let request = Request::post(scene.acme.url(&path));
        statuses.push(scene.decide(request, &fields).await.status.as_u16());
    }
    let fresh = Scene { browser: scene.ada.browser().await, ..scene };
    let disconnect = Request::post(fresh.acme.url(&format!("/connections/{id}/disconnect")));
    statuses.push(fresh.decide(disconnect, &[]).await.status.as_u16());
    assert_eq!(statuses, [303; 3]);
}

/// The lines of the page that show the app's name.
fn naming(body: &str) -> String {
    let lines = body.lines().filter(|line| line.starts_with("<title>") || line.starts_with("<h1>"));
    lines.collect::<Vec<_>>().join("\n")
}

async fn asked(acme: &Tenant, client: Client) -> Answer {
    let ada = acme.person("ada").member_of("docs").await;
    let ask = client.register(&acme.gateway, &acme.resource()).await.ask();
    ada.browser().await.open(&ask.url()).await.answer
}

// sec:E13, sec:B14
#[tokio::test]
async fn a_hostile_name_is_text_and_short() {
    let scene = Scene::new().await;
    let quiet = scene.page.answer.body.matches('<').count();
    let mut shown = Vec::new();
    for name in [
        "\"><script>alert(1)</script>",
        "<img src=x onerror='alert(1)'>",
        "{{ 7*7 }} ${7*7} &lt;b&gt;",
        &"Claude by Anthropic, verified and safe. ".repeat(3),
    ] {
        let client = Client::new(name, "https://claude.ai/api/mcp/auth_callback");
        let page = asked(&scene.acme, client).await;
        assert_eq!(page.body.matches('<').count(), quiet, "{name}");
        shown.push(naming(&page.body));
    }
    assert_snapshot!(shown.join("\n"), @r#"
    <title>Connect &#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62; to Acme? · Acme</title>
    <h1>Connect <bdi>&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;</bdi> to Acme?</h1>
    <title>Connect &#60;img src=x onerror=&#39;alert(1)&#39;&#62; to Acme? · Acme</title>
    <h1>Connect <bdi>&#60;img src=x onerror=&#39;alert(1)&#39;&#62;</bdi> to Acme?</h1>
    <title>Connect {{ 7*7 }} ${7*7} &#38;lt;b&#38;gt; to Acme? · Acme</title>
    <h1>Connect <bdi>{{ 7*7 }} ${7*7} &#38;lt;b&#38;gt;</bdi> to Acme?</h1>
    <title>Connect Claude by Anthropic, verified and safe. Claude by Anthropic… to Acme? · Acme</title>
    <h1>Connect <bdi>Claude by Anthropic, verified and safe. Claude by Anthropic…</bdi> to Acme?</h1>
    "#);
}

// sec:E12, sec:B15, sec:C16
#[tokio::test]
async fn where_the_browser_goes_is_shown_as_it_is() {
    let scene = Scene::new().await;
    let mut shown = Vec::new();
    for redirect_uri in [
        "https://claude.ai/api/mcp/auth_callback",
        "https://xn--e1awd7f.com/cb",
        "https://claude.ai.evil.test:8443/cb",
        "http://127.0.0.1:33418/",
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ] {
        let page = asked(&scene.acme, Client::new("Claude", redirect_uri)).await;
        let after = page.body.split_once("<dt>Sends you back to</dt>").unwrap().1;
        let told = after.split_once("<dd>").unwrap().1.split_once("</dd>").unwrap().0;
        let warned = after.split_once("<p class=\"notice").unwrap().1.split_once('>').unwrap().1;
        shown.push(format!("{told}\n{}\n", warned.split_once("</p>").unwrap().0));
    }
    assert_snapshot!(shown.join("\n"), @r#"
    <strong class="host">claude.ai</strong> <span class="known">Known address</span>
    Acme knows the address claude.ai. The name is the app’s own claim. Allow it only if you have just started this yourself.

    <strong class="host">xn--e1awd7f.com</strong> <span class="unknown">Not verified</span> <code class="whole">https://xn--e1awd7f.com/cb</code>
    <strong>Acme has not verified this app.</strong> Its name is its own claim; all that is known of it is the address that it sends you back to. Allow it only if you have just started this yourself and trust xn--e1awd7f.com.

    <strong class="host">claude.ai.evil.test:8443</strong> <span class="unknown">Not verified</span> <code class="whole">https://claude.ai.evil.test:8443/cb</code>
    <strong>Acme has not verified this app.</strong> Its name is its own claim; all that is known of it is the address that it sends you back to. Allow it only if you have just started this yourself and trust claude.ai.evil.test:8443.

    <strong>A program on this computer</strong> <span class="quiet">(127.0.0.1:33418)</span>
    <strong>Any program on this computer could be asking.</strong> Acme cannot check which one gets the answer at 127.0.0.1:33418. Allow it only if you have just started this yourself.

    <strong>The app on this device that opens <span class="host">cursor:</span> links</strong>
    <strong>Any app on this device can claim cursor: links.</strong> Acme cannot check which one gets the answer. Allow it only if you have just started this yourself.
    "#);
}

#[tokio::test]
async fn the_stylesheet_is_kept_by_browsers_and_is_nobodys_page() {
    let scene = Scene::new().await;
    let request = Request::get("/portico.css").body(Body::empty()).unwrap();
    let answer = scene.acme.gateway.send(request).await;
    assert_snapshot!(head(&answer), @r#"
    200
    cache-control: public, max-age=31536000, immutable
    content-type: text/css; charset=utf-8
    x-content-type-options: nosniff
    "#);
}
