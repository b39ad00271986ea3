//! What a person gives of what was asked for: how far, and where. Never more than was asked, and
//! nothing that is not theirs.

use http::Request;
use insta::assert_snapshot;
use portico_model::{Role, WorkspaceState};
use portico_storage as storage;
use portico_testkit::{Answer, Browser, Client, Page, without_ids};
use serde_json::json;

use super::Scene;

impl Scene {
    /// What the question says between its heading and its buttons, without the tags.
    fn question(&self) -> String {
        words(&self.page)
    }

    /// The question of an app that was given an address for a workspace.
    async fn pin(&mut self, workspace: &str) {
        let resource = format!("{}/w/{workspace}", self.acme.resource());
        self.ask = self.ask.clone().with("resource", Some(&resource));
        self.page = self.browser.open(&self.ask.url()).await;
    }

    async fn kept(&self) -> serde_json::Value {
        let rows = self
            .db
            .rows(
                "select c.scopes, c.every_workspace, c.pinned_workspace_id is not null as pinned,
                        array(
                            select w.name from connection_workspaces x
                            join workspaces w using (tenant_id, workspace_id)
                            where x.connection_id = c.connection_id order by w.name
                        ) as workspaces
                 from connections c order by c.created_at",
            )
            .await;
        rows.into()
    }
}

fn words(page: &Page) -> String {
    let body = &page.answer.body;
    let main = body.split_once("<form method").unwrap().1.split_once("<button").unwrap().0;
    let mut words = Vec::new();
    for piece in main.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        if tag.starts_with("input") && !tag.contains("hidden") {
            let mark = if tag.contains("checked") { "x" } else { " " };
            let kind =
                if tag.contains("radio") { format!("({mark})") } else { format!("[{mark}]") };
            words.push(kind);
        }
        if !text.trim().is_empty() {
            words.push(text.trim().to_owned());
        }
    }
    words.join("\n")
}

async fn press(scene: &Scene, fields: &[(&str, &str)]) -> Page {
    scene.browser.clone().press(&scene.page, "Allow", fields).await
}

async fn token(scene: &Scene, allowed: &Page) -> Answer {
    let mut ask = scene.ask.clone();
    super::SENT.clone_into(&mut ask.state);
    let code = ask.code(&allowed.url);
    ask.exchange(&scene.acme.gateway, &code).await
}

// cli:97
#[tokio::test]
async fn the_question_offers_less_than_was_asked_for() {
    let mut scene = Scene::new().await;
    for (account, name) in [("docs", "drafts"), ("Zoo", "lab"), ("alp", "quay"), ("Zoo", "pool")] {
        scene.acme.workspace_of(account, name).await;
        scene.ada.join(name, Role::Member).await;
    }
    scene.acme.set_workspace("pool", WorkspaceState::Paused).await;
    scene.page = scene.browser.open(&scene.ask.url()).await;
    assert_snapshot!(scene.question(), @r"
    It may
    (x)
    Read and change
    See your boards and cards
    Create and change boards and cards
    ( )
    Only read
    See your boards and cards
    It works in
    (x)
    All my workspaces
    Also ones that I join later
    ( )
    Only these
    alp
    [ ]
    quay
    quay.example
    docs
    [ ]
    docs
    docs.example
    [ ]
    drafts
    drafts.example
    Zoo
    [ ]
    lab
    lab.example
    Stays connected
    Until you disconnect it; at most 180 days, or 30 days without being used
    ");
}

#[tokio::test]
async fn the_question_says_how_long_it_stays_and_the_row_says_the_same() {
    let scene = Scene::new().await;
    let mut document = scene.acme.document();
    let expiring = document.clone();
    document = document.replace("access_token = \"8h\"", "access_token = \"until-revoked\"");
    document = document.replace("access_token = \"1h\"", "access_token = \"until-revoked\"");
    let mut told = Vec::new();
    for document in [document, expiring] {
        scene.acme.apply(&document).await;
        let mut browser = scene.browser.clone();
        let page = browser.open(&scene.ask.url()).await;
        told.push(words(&page).lines().last().unwrap().to_owned());
        assert!(browser.press(&page, "Allow", &[]).await.has_left());
        let days = "select extract(days from expires_at - created_at)::int as days \
                    from connections order by created_at desc limit 1";
        told.push(scene.db.rows(days).await[0]["days"].to_string());
    }
    assert_snapshot!(told.join("\n"), @r"
    Until you disconnect it
    null
    Until you disconnect it; at most 180 days, or 30 days without being used
    180
    ");
}

// sec:E06
#[tokio::test]
async fn a_person_gives_less_and_the_token_is_worth_no_more() {
    let mut scene = Scene::new().await;
    scene.ada.join("lab", Role::Member).await;
    let lab = scene.acme.workspace("lab").await.to_string();
    scene.page = scene.browser.open(&scene.ask.url()).await;
    let chosen = [("access", "read"), ("workspaces", "some"), ("workspace", &*lab)];
    let allowed = press(&scene, &chosen).await;
    assert_eq!(token(&scene, &allowed).await.json()["scope"], "read");
    assert_eq!(
        scene.kept().await,
        json!([{
            "scopes": ["read"], "every_workspace": false, "pinned": false, "workspaces": ["lab"],
        }])
    );
}

#[tokio::test]
async fn what_is_not_offered_is_not_given_whatever_the_form_says() {
    let scene = Scene::asked_by(Client::claude().asking_for("read")).await;
    assert_snapshot!(scene.question().lines().take(2).collect::<Vec<_>>().join("\n"), @r"
    It may
    See your boards and cards
    ");
    let fields = scene.fields("allow");
    let answer = scene.decide(scene.form(), &fields).await;
    assert_eq!(answer.status, 303);
    let kept = scene.kept().await;
    assert_eq!(kept[0]["scopes"], json!(["read"]));
}

#[tokio::test]
async fn a_form_that_leaves_a_question_open_is_no_answer() {
    let scene = Scene::new().await;
    for absent in ["access", "workspaces", "request", "person", "decision"] {
        let mut fields = scene.fields("allow");
        fields.retain(|(name, _)| *name != absent);
        let answer = scene.decide(scene.form(), &fields).await;
        assert_eq!((answer.status.as_u16(), scene.made().await), (400, [0, 0]), "{absent}");
    }
    let json = Request::post(scene.acme.url("/consent")).header("content-type", "text/plain");
    assert_eq!(scene.decide(json, &scene.fields("allow")).await.status, 400);
    assert!(press(&scene, &[]).await.has_left());
}

#[tokio::test]
async fn only_these_and_none_ticked_asks_again() {
    let mut scene = Scene::new().await;
    scene.page = press(&scene, &[("access", "read"), ("workspaces", "some")]).await;
    assert_eq!(scene.page.brief(), "422 Error: Connect Claude to Acme?");
    assert_snapshot!(scene.question(), @r"
    It may
    ( )
    Read and change
    See your boards and cards
    Create and change boards and cards
    (x)
    Only read
    See your boards and cards
    It works in
    ( )
    All my workspaces
    Also ones that I join later
    (x)
    Only these
    Tick at least one workspace
    docs
    [ ]
    docs
    docs.example
    Stays connected
    Until you disconnect it; at most 180 days, or 30 days without being used
    ");
    assert_eq!(scene.made().await, [0, 0]);
    let docs = scene.acme.workspace("docs").await.to_string();
    assert!(press(&scene, &[("workspace", &docs)]).await.has_left());
}

// sec:K01
#[tokio::test]
async fn a_workspace_that_is_not_theirs_cannot_be_ticked_and_nobody_learns_of_it() {
    let scene = Scene::new().await;
    let docs = scene.acme.workspace("docs").await.to_string();
    let foreign = scene.acme.workspace("secret").await.to_string();
    scene.ada.join("lab", Role::Member).await;
    scene.acme.set_workspace("lab", WorkspaceState::Paused).await;
    let paused = scene.acme.workspace("lab").await.to_string();
    let mut told = Vec::new();
    for id in ["01900000-0000-7000-8000-000000000000", &foreign, &paused] {
        for ticked in [vec![id], vec![docs.as_str(), id]] {
            let mut fields = vec![("workspaces", "some")];
            fields.extend(ticked.iter().map(|id| ("workspace", *id)));
            let page = press(&scene, &fields).await;
            assert_eq!(page.brief(), "422 Error: Connect Claude to Acme?", "{id}");
            let words = words(&page).replace("[x]", "[ ]");
            assert!(words.lines().any(|line| line.starts_with("A workspace that you ticked")));
            told.push(without_ids(&words));
        }
    }
    told.dedup();
    assert_eq!((told.len(), scene.made().await), (1, [0, 0]));
}

#[tokio::test]
async fn five_hundred_workspaces_can_be_ticked() {
    let mut scene = Scene::new().await;
    let account = scene.acme.account("docs").await;
    let mut conn = storage::acquire(scene.acme.gateway.pool()).await.unwrap();
    for number in 1..500 {
        let (tenant, name) = (scene.acme.id, format!("Site {number:03}"));
        let made = storage::workspace::insert(&mut conn, tenant, account, &name).await.unwrap();
        let role = Role::Member;
        storage::membership::upsert(&mut conn, tenant, scene.ada.id, made, role).await.unwrap();
    }
    let roster = storage::membership::roster(&mut conn, scene.acme.id, scene.ada.id).await.unwrap();
    drop(conn);
    scene.page = scene.browser.open(&scene.ask.url()).await;
    let ids: Vec<String> = roster.iter().map(|it| it.id.to_string()).collect();
    let mut fields = vec![("workspaces", "some")];
    fields.extend(ids.iter().map(|id| ("workspace", id.as_str())));
    assert_eq!(fields.len(), 501);
    assert!(press(&scene, &fields).await.has_left());
    assert_eq!(scene.db.rows("select 1 from connection_workspaces").await.len(), 500);
}

#[tokio::test]
async fn an_address_for_a_workspace_leaves_no_choice_of_one() {
    let mut scene = Scene::new().await;
    scene.ada.join("lab", Role::Member).await;
    let lab = scene.acme.workspace("lab").await.to_string();
    let mut told = Vec::new();
    for text in [&*lab, "lab.example", "LAB.example"] {
        scene.pin(text).await;
        told.push(scene.question().lines().skip(8).collect::<Vec<_>>().join("\n"));
    }
    told.dedup();
    assert_snapshot!(told.join("\n\n"), @r"
    It works in
    lab
    lab
    This address is for that workspace alone.
    Stays connected
    Until you disconnect it; at most 180 days, or 30 days without being used
    ");
    let docs = scene.acme.workspace("docs").await.to_string();
    let mut fields = scene.fields("allow");
    fields.retain(|(name, _)| *name != "workspaces");
    fields.extend([("workspaces", "some".to_owned()), ("workspace", docs)]);
    assert_eq!(scene.decide(scene.form(), &fields).await.status, 303);
    assert_eq!(
        scene.kept().await,
        json!([{
            "scopes": ["read", "write"], "every_workspace": true, "pinned": true, "workspaces": [],
        }])
    );
    let row = scene.db.rows("select pinned_workspace_id from connections").await;
    assert_eq!(row[0]["pinned_workspace_id"], lab);
}

// sec:K01
#[tokio::test]
async fn an_address_for_a_workspace_of_others_is_answered_as_if_there_were_none() {
    let mut scene = Scene::new().await;
    let secret = scene.acme.workspace("secret").await.to_string();
    let bob = scene.acme.person("bob").member_of("secret").await;
    let mut told = Vec::new();
    for text in [&*secret, "secret.example", "nothing.example", "secret", "docs"] {
        scene.pin(text).await;
        assert_eq!(scene.page.brief(), "403 You cannot use this address", "{text}");
        let answer = scene.decide(scene.form(), &scene.fields("allow")).await;
        assert_eq!(answer.body, scene.page.answer.body, "{text}");
        told.push(without_ids(&answer.body));
    }
    told.dedup();
    assert_eq!((told.len(), scene.made().await), (1, [0, 0]));

    // Another account may be in it; the request waits.
    scene.pin("secret.example").await;
    let link =
        scene.page.answer.body.split("class=\"button primary wide\" href=\"").nth(1).unwrap();
    let link = link.split('"').next().unwrap().to_owned();
    let mut browser = scene.browser.clone();
    let sign_in = browser.open(&link).await;
    let question = bob.sign_in(&mut browser, &sign_in).await;
    assert_eq!(question.brief(), "200 Connect Claude to Acme?");
    assert!(browser.clone().press(&question, "Allow", &[]).await.has_left());
}

#[tokio::test]
async fn someone_outside_can_still_say_no() {
    let mut scene = Scene::new().await;
    scene.pin("nothing.example").await;
    let told = scene.browser.clone().press(&scene.page, "Cancel", &[]).await;
    assert!(told.has_left());
    assert_eq!(told.parameter("error").as_deref(), Some("access_denied"));
}

// sec:D21, cli:50
#[tokio::test]
async fn a_no_leads_to_an_address_only_if_it_is_known_whose_it_is() {
    let mut told = Vec::new();
    for (name, redirect_uri) in [
        ("Evil", "https://evil.test/cb"),
        ("Claude", "https://claude.ai/api/mcp/auth_callback"),
        ("Goose", "http://127.0.0.1:4711/oauth_callback"),
        ("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback"),
    ] {
        let scene = Scene::asked_by(Client::new(name, redirect_uri)).await;
        let page = scene.browser.clone().press(&scene.page, "Cancel", &[]).await;
        assert_eq!(scene.made().await, [0, 0]);
        if page.has_left() {
            told.push(format!("{name} is sent to {}", page.url.scheme()));
        } else {
            told.push(format!("{name}: {}", page.brief()));
            let body = &page.answer.body;
            let back = body.split("<a href=\"").nth(1).unwrap().split('"').next().unwrap();
            let back = back.replace("&#38;", "&");
            assert_snapshot!(back, @"https://evil.test/cb?error=access_denied&error_description=the%20person%20said%20no&state=gXVXo0%2FiMD8WMolDHKxSTg%3D%3D%2B%2526%20%C3%A9&iss=https%3A%2F%2Fgateway.example");
        }
    }
    assert_snapshot!(told.join("\n"), @r"
    Evil: 200 Not connected
    Claude is sent to https
    Goose is sent to http
    Cursor is sent to cursor
    ");
}

// cli:36, cli:52
#[tokio::test]
async fn an_address_that_was_used_asks_anew() {
    let scene = Scene::new().await;
    let mut browser = scene.browser.clone();
    assert!(browser.press(&scene.page, "Allow", &[]).await.has_left());
    for _ in 0..2 {
        let again = browser.open(&scene.ask.url()).await;
        assert_eq!(again.brief(), "200 Connect Claude to Acme?");
        assert_ne!(again.parameter("request"), scene.page.parameter("request"));
    }
    assert_eq!(scene.made().await, [1, 1]);
    let stranger = Browser::new(&scene.acme.gateway).open(&scene.ask.url()).await;
    assert_eq!(stranger.brief(), "200 Sign in");
}
