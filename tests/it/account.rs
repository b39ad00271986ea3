//! The account panel: whose it is, what it lists, and that ending a connection ends it.

use std::time::Duration;

use http::Request;
use insta::assert_snapshot;
use portico_model::Role;
use portico_testkit::{Browser, Client, Connection, Database, Gateway, Page, Person, Tenant};
use serde_json::json;

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
        Self::of(db, acme).await
    }

    async fn of(db: Database, acme: Tenant) -> Self {
        let ada = acme.person("ada").member_of("docs").await;
        let browser = ada.browser().await;
        Self { db, acme, ada, browser }
    }

    async fn panel(&mut self) -> Page {
        self.browser.open(&self.acme.url("/connections")).await
    }
}

/// The ids of all connections, the oldest first.
async fn ids(db: &Database) -> Vec<String> {
    let rows = db.rows("select connection_id from connections order by created_at").await;
    rows.iter().map(|row| row["connection_id"].as_str().unwrap().to_owned()).collect()
}

async fn disconnect(browser: &Browser, tenant: &Tenant, id: &str) -> (u16, Option<String>, String) {
    let request = Request::post(tenant.url(&format!("/connections/{id}/disconnect")));
    let answer = browser.send(request, &[]).await;
    let location = answer.header("location").map(str::to_owned);
    (answer.status.as_u16(), location, answer.body)
}

async fn ping(connection: &Connection) -> u16 {
    connection.ask("ping", json!({})).await.status.as_u16()
}

/// The words of a page below its header, a line for each piece, without the times.
fn words(page: &Page) -> String {
    let body = &page.answer.body;
    let main = body.split_once("<main").unwrap().1.split_once("</main>").unwrap().0;
    let mut words = Vec::new();
    for piece in main.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        let text = match text.trim() {
            text if text.ends_with("UTC") && tag.starts_with("time") => "[time]",
            text if text.starts_with(", connected ") => ", connected [time]",
            _ if words.last() == Some(&"Ends by itself") && tag == "dd" => "[time]",
            text => text,
        };
        if !text.is_empty() {
            words.push(text);
        }
    }
    words.join("\n")
}

// pre:O22
#[tokio::test]
async fn connections_are_listed_by_app_with_what_they_may_and_when() {
    let mut scene = Scene::new().await;
    let bob = scene.acme.person("bob").member_of("docs").await;
    bob.connect(Client::cursor()).await;
    scene.ada.connect(Client::claude()).await;
    scene.ada.connect(Client::claude_code().asking_for("read")).await;
    let used = scene.ada.connect(Client::claude()).await;
    assert_eq!(ping(&used).await, 200);
    used.call("list_boards", json!({})).await;
    scene.db.wait_for_calls(1).await;
    assert_snapshot!(words(&scene.panel().await));
}

// pre:O22, sec:H07
#[tokio::test]
async fn only_the_owner_ends_a_connection_and_nobody_learns_that_it_exists() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let globex = Tenant::named(gateway.clone(), "globex").await;
    let scene = Scene::of(db, Tenant::named(gateway, "acme").await).await;
    let bob = scene.acme.person("bob").member_of("docs").await;
    let eve = globex.person("eve").member_of("docs").await;
    let theirs = [bob.connect(Client::claude()).await, eve.connect(Client::claude()).await];
    let ids = ids(&scene.db).await;

    let absent = "01900000-0000-7000-8000-000000000000";
    let expected = disconnect(&scene.browser, &scene.acme, absent).await;
    assert_eq!((expected.0, &expected.1), (404, &None));
    for id in [&*ids[0], &ids[1], &ids[0].to_uppercase(), "7", "..", "%00", "null"] {
        assert_eq!(disconnect(&scene.browser, &scene.acme, id).await, expected, "{id}");
    }
    let stranger = disconnect(&Browser::new(&scene.acme.gateway), &scene.acme, &ids[0]).await;
    let nobodys = disconnect(&Browser::new(&scene.acme.gateway), &scene.acme, absent).await;
    assert_eq!(stranger, nobodys);
    for connection in theirs {
        assert_eq!(ping(&connection).await, 200);
    }
    let ended = scene.db.rows("select 1 from connections where ended_at is not null").await;
    assert_eq!(ended.len(), 0);
}

// pre:O22, mcp:R12, cli:96
#[tokio::test]
async fn an_ended_connection_is_refused_from_its_next_call_on_and_ending_it_again_is_the_same() {
    let mut scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let other = scene.ada.connect(Client::claude()).await;
    let ids = ids(&scene.db).await;
    assert_eq!([ping(&claude).await, ping(&other).await], [200, 200]);

    let first = disconnect(&scene.browser, &scene.acme, &ids[0]).await;
    let back = format!("/connections?disconnected={}", ids[0]);
    assert_eq!(first, (303, Some(back.clone()), String::new()));
    let refused = claude.ask("tools/list", json!({})).await;
    assert_snapshot!(refused.brief(), @r#"401 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Sign in again: the access token is not valid here"}}"#);
    assert_snapshot!(refused.header("www-authenticate").unwrap(), @r#"Bearer error="invalid_token", error_description="the token is not valid here", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards", scope="read write""#);
    let row = scene.db.rows("select * from connections where ended_at is not null").await;
    assert_eq!(disconnect(&scene.browser, &scene.acme, &ids[0]).await, first);
    let again = scene.db.rows("select * from connections where ended_at is not null").await;
    assert_eq!(again, row);
    assert_eq!([ping(&claude).await, ping(&other).await], [401, 200]);
    let page = scene.browser.open(&scene.acme.url(&back)).await;
    assert_snapshot!(words(&page));
}

// pre:O22
#[tokio::test]
async fn someone_elses_flash_says_nothing() {
    let mut scene = Scene::new().await;
    let bob = scene.acme.person("bob").member_of("docs").await;
    bob.connect(Client::claude()).await;
    let ids = ids(&scene.db).await;
    disconnect(&bob.browser().await, &scene.acme, &ids[0]).await;
    let plain = scene.panel().await;
    for id in [&*ids[0], "7", "", "<script>"] {
        let url = scene.acme.url(&format!("/connections?disconnected={id}"));
        assert_eq!(scene.browser.open(&url).await.answer.body, plain.answer.body, "{id}");
    }
}

// pre:O22, sec:H01, sec:F02
#[tokio::test]
async fn what_has_ended_is_listed_with_the_reason_for_a_month() {
    let mut scene = Scene::new().await;
    let gateway = scene.acme.gateway.clone();
    let code_of = scene.ada.connect(Client::claude_code()).await.registered.ask();
    scene.ada.connect(Client::claude()).await;
    let cursor = scene.ada.connect(Client::cursor()).await;
    let ids = ids(&scene.db).await;
    disconnect(&scene.browser, &scene.acme, &ids[1]).await;
    let own = cursor.registered.id.as_str();
    let held = cursor.refresh_token.as_deref().unwrap();
    let fields = [("token", held), ("client_id", own)];
    assert_eq!(gateway.post_form("/oauth/revoke", &fields).await.status, 200);
    let callback = scene.ada.allow(&mut scene.browser, &code_of).await;
    let code = code_of.code(&callback);
    let replayed = gateway.later(&scene.db, Duration::from_mins(2)).await;
    for (gateway, status) in [(&gateway, 200), (&replayed, 400)] {
        assert_eq!(code_of.exchange(gateway, &code).await.status, status);
    }
    let panel = scene.panel().await;
    assert_snapshot!(words(&panel));
    let lists_ended = |page: &Page| page.answer.body.matches("id=\"ended\"").count();
    assert_eq!(lists_ended(&panel), 1);

    // The one that nobody ended ran out after a month, and is listed for another.
    let later = [31, 61].map(|days| Duration::from_hours(days * 24));
    let panels = [scene.panel_after(later[0]).await, scene.panel_after(later[1]).await];
    assert_eq!(panels.each_ref().map(lists_ended), [1, 0]);
}

impl Scene {
    /// Ada connects Claude, and says on the question what these fields say.
    async fn connect_giving(&mut self, fields: &[(&str, &str)]) {
        let ask = Client::claude().register(&self.acme.gateway, &self.acme.resource()).await.ask();
        let page = self.browser.open(&ask.url()).await;
        let allowed = self.browser.press(&page, "Allow", fields).await;
        let code = ask.code(&allowed.url);
        assert_eq!(ask.exchange(&self.acme.gateway, &code).await.status, 200);
    }

    /// The panel of an instance for which it is so much later, where Ada signs in again.
    async fn panel_after(&self, passed: Duration) -> Page {
        let later = self.acme.gateway.later(&self.db, passed).await;
        let mut browser = Browser::new(&later);
        let page = browser.open(&self.acme.url("/connections")).await;
        self.ada.sign_in(&mut browser, &page).await
    }
}

/// What a page says behind each of these terms.
fn facts(page: &Page, term: &str) -> Vec<String> {
    let body = page.answer.body.replace('\n', " ");
    let before = format!("<dt>{term}</dt><dd>");
    let parts = body.split(&before).skip(1);
    parts.map(|rest| rest.split_once("</dd>").unwrap().0.to_owned()).collect()
}

// pre:O22, cli:96, cli:97
#[tokio::test]
async fn a_connection_is_shown_as_narrow_as_it_is() {
    let mut scene = Scene::new().await;
    for name in ["lab", "quay"] {
        scene.ada.join(name, Role::Member).await;
    }
    let lab = scene.acme.workspace("lab").await.to_string();
    let quay = scene.acme.workspace("quay").await.to_string();
    scene.connect_giving(&[]).await;
    let some = [("access", "read"), ("workspaces", "some"), ("workspace", &*lab)];
    scene.connect_giving(&some).await;
    let both = [("workspaces", "some"), ("workspace", &*lab), ("workspace", &quay)];
    scene.connect_giving(&both).await;
    let panel = scene.panel().await;
    assert_snapshot!(facts(&panel, "Works in").join("\n"), @r"
    lab, quay
    lab
    All your workspaces, also ones you join later
    ");
    assert_snapshot!(facts(&panel, "May").join("\n"), @r#"
    <span class="scope">See your boards and cards</span><span class="scope">Create and change boards and cards</span>
    <span class="known">Only reads</span><span class="scope">See your boards and cards</span>
    <span class="scope">See your boards and cards</span><span class="scope">Create and change boards and cards</span>
    "#);

    // One that was left is not named any more, and never means all of them.
    scene.ada.leave("lab").await;
    let panel = scene.panel().await;
    assert_snapshot!(facts(&panel, "Works in").join("\n"), @r"
    quay (you have left another one)
    None (you have left another one)
    All your workspaces, also ones you join later
    ");
}

// pre:O22
#[tokio::test]
async fn the_address_at_the_tenants_own_host_is_handed_out_once_it_is_proved() {
    let mut scene = Scene::new().await;
    scene.acme.apply(&scene.acme.document_with_host("mcp.acme.example")).await;
    let shown = |page: Page| {
        let body = &page.answer.body;
        let addresses = body.split("Acme boards</span> <code>").skip(1);
        addresses.map(|rest| rest.split('<').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = shown(scene.panel().await);
    scene.acme.prove("mcp.acme.example").await;
    let after = shown(scene.panel().await);
    scene.connect_giving(&[]).await;
    let beside_another = shown(scene.panel().await);
    assert_eq!(before, ["https://gateway.example/mcp/boards"]);
    assert_eq!([&after, &beside_another], [&["https://mcp.acme.example"]; 2]);
}

// pre:O22
#[tokio::test]
async fn an_app_that_registers_at_every_start_is_one_app() {
    let mut scene = Scene::new().await;
    for number in 0..2 {
        let mut client = Client::claude_code();
        client.registration["redirect_uris"] =
            json!(["http://localhost/callback", format!("http://localhost/{number}")]);
        scene.ada.connect(client).await;
    }
    let other = Client::new("Claude Code (acme)", "https://claude.example.test/cb");
    scene.ada.connect(other).await;
    let clients = scene.db.rows("select distinct client_id from connections").await;
    let panel = scene.panel().await;
    let count = |piece: &str| panel.answer.body.matches(piece).count();
    assert_eq!((clients.len(), count("<article "), count(">Disconnect<")), (3, 2, 3));
}

// pre:O22
#[tokio::test]
async fn a_connection_that_ran_out_is_listed_as_ended_and_not_as_connected() {
    const DAY: Duration = Duration::from_hours(24);
    let mut scene = Scene::new().await;
    scene.connect_giving(&[]).await;
    let connected = scene.panel().await;
    // An app that was never heard of again after the question is not worth a line.
    let ask = Client::cursor().register(&scene.acme.gateway, &scene.acme.resource()).await.ask();
    scene.ada.allow(&mut scene.browser, &ask).await;
    let mut told = Vec::new();
    for days in [29, 31, 59, 61] {
        let panel = scene.panel_after(DAY * days).await;
        let listed = panel.answer.body.matches("<article ").count();
        let why = panel.answer.body.split("class=\"why\">").skip(1);
        let why: Vec<_> = why.map(|rest| rest.split('<').next().unwrap()).collect();
        told.push(format!("day {days}: {listed} connected, ended {why:?}"));
    }
    let days = scene
        .db
        .rows(
            "select to_char(created_at + interval '30 days', 'FMDD FMMonth YYYY') as unused,
                    to_char(expires_at, 'FMDD FMMonth YYYY') as latest
             from connections order by created_at limit 1",
        )
        .await;
    let read = |name: &str| days[0][name].as_str().unwrap().to_owned();
    let (unused, latest) = (read("unused"), read("latest"));
    let ends = format!("{unused}, if it is not used before; {latest} at the latest");
    assert_eq!(facts(&connected, "Ends by itself"), [ends]);
    assert_snapshot!(told.join("\n"), @r#"
    day 29: 1 connected, ended []
    day 31: 0 connected, ended ["Its time ran out"]
    day 59: 0 connected, ended ["Its time ran out"]
    day 61: 0 connected, ended []
    "#);
}

// sec:G05
#[tokio::test]
async fn whoever_lost_a_connection_to_a_thief_is_told_before_anything_else() {
    let mut scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let quiet = scene.panel().await;
    assert_eq!(claude.refresh().await.status, 200);
    let late = scene.acme.gateway.later(&scene.db, Duration::from_mins(3)).await;
    assert_eq!(claude.clone().before(&late).refresh().await.status, 400);
    let panel = scene.panel().await;
    assert_snapshot!(words(&panel));
    let alarms = |page: &Page| page.answer.body.matches("class=\"alarm\"").count();
    assert_eq!([alarms(&quiet), alarms(&panel)], [0, 1]);
}

#[tokio::test]
async fn a_visitor_signs_in_and_comes_to_the_panel() {
    let scene = Scene::new().await;
    let mut browser = Browser::new(&scene.acme.gateway);
    let sent = browser.open(&scene.acme.url("/connections")).await;
    let panel = scene.ada.sign_in(&mut browser, &sent).await;
    let went = [&sent, &panel].map(|page| format!("{} {}", page.url.path(), page.brief()));
    assert_eq!(went, ["/sign-in 200 Sign in", "/connections 200 Your connections"]);
}

// sec:E15
#[tokio::test]
async fn a_session_ends_here_and_not_only_in_the_browser() {
    let mut scene = Scene::new().await;
    let old = scene.browser.clone();
    let panel = scene.panel().await;
    scene.browser.press(&panel, "Sign out", &[]).await;
    let out = old.clone().open(&scene.acme.url("/connections")).await;
    let pressed = old.clone().press(&panel, "Sign out", &[]).await;

    // Signing in ends the session that the browser had.
    let mut replaced = scene.ada.browser().await;
    let before = replaced.clone();
    let form = replaced.open(&scene.acme.url("/sign-in")).await;
    let signed_in = scene.ada.sign_in(&mut replaced, &form).await;
    let stale = before.clone().open(&scene.acme.url("/connections")).await;
    let told = [&out, &pressed, &signed_in, &stale].map(Page::brief);
    assert_eq!(told, ["200 Sign in", "200 Sign in", "200 Your connections", "200 Sign in"]);
}

// sec:K01
#[tokio::test]
async fn a_session_of_one_tenant_is_nothing_at_another() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let globex = Tenant::named(gateway.clone(), "globex").await;
    let mut scene = Scene::of(db, Tenant::named(gateway.clone(), "acme").await).await;
    assert_eq!(scene.panel().await.brief(), "200 Your connections");
    let elsewhere = scene.browser.open(&globex.url("/connections")).await;
    assert_eq!(elsewhere.url.as_str(), globex.url("/sign-in"));

    let (name, secret) = scene.browser.cookies().pop_first().unwrap();
    assert_eq!(name, "__Host-portico_session_acme");
    let renamed = format!("__Host-portico_session_globex={secret}");
    let stranger = Browser::new(&gateway);
    for (tenant, cookie, status) in [
        (&scene.acme, format!("{name}={secret}"), 200),
        (&scene.acme, renamed.clone(), 303),
        (&globex, renamed, 303),
    ] {
        let request = Request::get(tenant.url("/connections")).header("cookie", &cookie);
        assert_eq!(stranger.send(request, &[]).await.status, status, "{} {cookie}", tenant.slug);
    }
}

#[tokio::test]
async fn a_session_lives_twelve_hours() {
    let scene = Scene::new().await;
    for (minutes, shown) in [(719, "200 Your connections"), (721, "200 Sign in")] {
        let later = scene.acme.gateway.later(&scene.db, Duration::from_mins(minutes)).await;
        let page = scene.browser.clone().before(&later).open(&scene.acme.url("/connections")).await;
        assert_eq!(page.brief(), shown, "{minutes}");
    }
}
