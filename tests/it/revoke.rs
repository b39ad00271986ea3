//! What has ended has ended: at once, at every instance, and for nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::Request;
use portico_model::{AccountState, TenantState};
use portico_storage as storage;
use portico_testkit::{
    Answer, Browser, Client, Connection, Database, Gateway, Person, Portico, Scratch, Tenant,
};
use serde_json::json;
use tokio::task::JoinSet;

const ROUNDS: usize = 60;
const CALLERS: usize = 3;
const AFTERWARDS: usize = 5;
const THOUSAND: usize = 1_000;
const IDLE: Duration = Duration::from_hours(1);

struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
    browser: Browser,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let gateway = Gateway::shared(&db).await;
        Self::peopled(db, gateway).await
    }

    async fn peopled(db: Database, gateway: Gateway) -> Self {
        let acme = Tenant::named(gateway, "acme").await;
        let ada = acme.person("ada").member_of("docs").await;
        let browser = ada.browser().await;
        Self { db, acme, ada, browser }
    }

    /// Another instance on the same database.
    async fn instance(&self) -> Gateway {
        self.acme.gateway.with_pool(self.db.pool().await).await
    }

    /// Another connection of that app.
    async fn reconnect(&mut self, claude: &Connection) -> Connection {
        let ask = claude.registered.ask();
        let callback = self.ada.allow(&mut self.browser, &ask).await;
        let answer = ask.exchange(&self.acme.gateway, &ask.code(&callback)).await;
        let gateway = self.acme.gateway.clone();
        Connection::of_tokens(gateway, claude.registered.clone(), &answer)
    }

    async fn live(&self) -> usize {
        self.db.rows("select 1 from connections where ended_at is null").await.len()
    }
}

/// The token that takes the whole connection with it.
fn given(connection: &Connection) -> &str {
    connection.refresh_token.as_deref().unwrap()
}

async fn revoke(gateway: &Gateway, url: &str, client: &str, token: &str) -> Answer {
    gateway.post_form(url, &[("token", token), ("client_id", client)]).await
}

// sec:H02, sec:K01, cli:97
#[tokio::test]
async fn a_client_ends_the_one_connection_whose_token_it_gives_back() {
    let mut scene = Scene::new().await;
    let globex = Tenant::named(scene.acme.gateway.clone(), "globex").await;
    let claude = scene.ada.connect(Client::claude()).await;
    let twin = scene.reconnect(&claude).await;
    let bob = scene.acme.person("bob").member_of("docs").await;
    let bobs = bob.connect(Client::claude()).await;
    let eve = globex.person("eve").member_of("docs").await;
    let eves = eve.connect(Client::claude()).await;
    let gateway = &scene.acme.gateway;
    let own = claude.registered.id.as_str();
    let here = scene.acme.url("/oauth/revoke");
    let there = globex.url("/oauth/revoke");
    let session = scene.browser.cookies().values().next().unwrap().clone();
    let long = "x".repeat(1_000_000);
    for (name, url, client, token, status) in [
        ("a token of another tenant", &there, eves.registered.id.as_str(), given(&claude), 200),
        ("a token of another tenant's client", &here, own, given(&eves), 200),
        ("a session", &here, own, &session, 200),
        ("nothing", &here, own, "", 400),
        ("too much", &here, own, &long, 413),
    ] {
        let answer = revoke(gateway, url, client, token).await;
        assert_eq!((answer.status.as_u16(), scene.live().await), (status, 4), "{name}");
    }
    assert_eq!(revoke(gateway, &here, own, given(&claude)).await.brief(), "200 ");
    assert_eq!(scene.live().await, 3);
    let mut statuses = Vec::new();
    for connection in [&claude, &twin, &bobs, &eves] {
        statuses.push(connection.ask("ping", json!({})).await.status.as_u16());
    }
    assert_eq!(statuses, [401, 200, 200, 200]);
}

/// How often an app was let in, and how often it was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    let_in: usize,
    refused: usize,
}

/// Calls until what it calls with was seen to end, and so often after that. Answers how that went,
/// before and after.
async fn call_on(connection: Connection, ended: Arc<AtomicBool>, afterwards: usize) -> [Tally; 2] {
    let mut tallies = [Tally::default(); 2];
    while tallies[1].let_in + tallies[1].refused < afterwards {
        let tally = &mut tallies[usize::from(ended.load(Ordering::SeqCst))];
        if connection.is_let_in().await {
            tally.let_in += 1;
        } else {
            tally.refused += 1;
        }
    }
    tallies
}

// pre:O10, pre:O22, mcp:R12, sec:H05, sec:I11
#[tokio::test(flavor = "multi_thread")]
async fn a_call_sent_after_the_ending_was_answered_is_never_let_in_at_any_instance() {
    let mut scene = Scene::new().await;
    let (first, second) = (scene.instance().await, scene.instance().await);
    let claude = scene.ada.connect(Client::claude()).await;
    let url = scene.acme.url("/oauth/revoke");
    for round in 0..ROUNDS {
        let connection = scene.reconnect(&claude).await.before(&second);
        assert_eq!(connection.ask("ping", json!({})).await.status, 200, "round {round}");
        let ended = Arc::new(AtomicBool::new(false));
        let mut calling = JoinSet::new();
        for _ in 0..CALLERS {
            calling.spawn(call_on(connection.clone(), Arc::clone(&ended), AFTERWARDS));
        }
        let answer = if round % 2 == 0 {
            revoke(&first, &url, &connection.registered.id, given(&connection)).await
        } else {
            let newest =
                "select connection_id as id from connections order by created_at desc limit 1";
            let id = scene.db.rows(newest).await[0]["id"].as_str().unwrap().to_owned();
            let form = Request::post(scene.acme.url(&format!("/connections/{id}/disconnect")));
            scene.browser.clone().before(&first).send(form, &[]).await
        };
        ended.store(true, Ordering::SeqCst);
        assert_eq!(answer.status, if round % 2 == 0 { 200 } else { 303 }, "round {round}");
        for [_, after] in calling.join_all().await {
            assert_eq!(after, Tally { let_in: 0, refused: AFTERWARDS }, "round {round}");
        }
    }
}

// sec:H01, sec:H05, sec:I11
#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_calls_sent_after_an_ending_was_answered_none_is_let_in() {
    let db = Database::new().await;
    let gateway = Gateway::bound(&db, "acme").await;
    let (scene, scratch) = (Scene::peopled(db, gateway).await, Scratch::new());
    let url = scene.db.url();
    // A thousand strangers come from this computer.
    let arguments = ["--log", "info", "--shared-egress", "127.0.0.0/8"];
    let processes = [(); 2].map(|()| Portico::serve_acme(&scratch, url, &arguments));
    let (first, second) = (processes[0].gateway(url).await, processes[1].gateway(url).await);
    let app = Client::claude().register(&scene.acme.gateway, &scene.acme.resource()).await;
    let endpoint = scene.acme.url("/oauth/revoke");
    let mut let_in = 0;
    for round in 0..THOUSAND {
        let idle = (round % 2 == 0).then_some(IDLE);
        let connection = scene.ada.mint(&app, idle).await.before(&second);
        let token = connection.refresh_token.as_ref().unwrap_or(&connection.token);
        let ended = Arc::new(AtomicBool::new(false));
        let calling = JoinSet::from_iter([call_on(connection.clone(), Arc::clone(&ended), 1)]);
        let answer = revoke(&first, &endpoint, &app.id, token).await;
        ended.store(true, Ordering::SeqCst);
        assert_eq!(answer.status, 200, "round {round}");
        assert!(!connection.is_let_in().await, "round {round}");
        for [before, after] in calling.join_all().await {
            let_in += before.let_in;
            assert_eq!(after, Tally { let_in: 0, refused: 1 }, "round {round}");
        }
    }
    assert!(let_in > THOUSAND / 10, "{let_in}: the calls came after the endings, not among them");
}

/// A call may last longer than the database gives a statement.
const CUT_AFTER: Duration = Duration::from_secs(5);

// What was let in is finished, which no tool can put off: the database ends what takes long.
// sec:H05, pre:O22
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_let_in_is_finished_and_the_next_is_refused_at_every_instance() {
    let scene = Scene::new().await;
    let (first, second) = (scene.instance().await, scene.instance().await);
    let claude = scene.ada.connect(Client::claude()).await.before(&first);
    let made = claude.call("create_board", json!({"title": "Launch"})).await;
    assert_eq!(made.0.status, 200);
    let card = json!({"board": "Launch", "column": "To do", "title": "Write"});
    assert_eq!(claude.call("create_card", card).await.0.status, 200);
    let ids = "select k.tenant_id, b.workspace_id, k.card_id
        from cards k join boards b using (tenant_id, board_id)";
    let ids = scene.db.rows(ids).await.remove(0);
    let mut held = storage::begin(scene.acme.gateway.pool()).await.unwrap();
    let tenant = serde_json::from_value(ids["tenant_id"].clone()).unwrap();
    let workspace = serde_json::from_value(ids["workspace_id"].clone()).unwrap();
    let card = serde_json::from_value(ids["card_id"].clone()).unwrap();
    assert!(storage::card::lock(&mut held, tenant, workspace, card).await.unwrap());

    #[expect(clippy::disallowed_methods, reason = "it is waited for below")]
    let moving = tokio::spawn({
        let (claude, card) = (claude.clone(), ids["card_id"].clone());
        async move { claude.call("move_card", json!({"card": card, "column": "Done"})).await }
    });
    let waits = "select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    let began_at = Instant::now();
    while scene.db.rows(waits).await.is_empty() {
        assert!(began_at.elapsed() < CUT_AFTER && !moving.is_finished());
    }
    let id = "select connection_id as id from connections";
    let id = scene.db.rows(id).await[0]["id"].as_str().unwrap().to_owned();
    let form = Request::post(scene.acme.url(&format!("/connections/{id}/disconnect")));
    let ended = scene.browser.clone().before(&second).send(form, &[]).await;
    assert_eq!(ended.status, 303);
    for instance in [&first, &second] {
        assert!(!claude.clone().before(instance).is_let_in().await);
    }

    drop(held);
    let moved = moving.await.unwrap();
    assert!(began_at.elapsed() < CUT_AFTER);
    assert_eq!(moved.to_string().split(" [").next(), Some(r#"Moved the card "Write""#), "{moved}");
}

// pre:O10
#[tokio::test]
async fn what_is_switched_off_is_refused_at_every_instance_from_the_next_call_on() {
    let scene = Scene::new().await;
    let claude = scene.ada.connect(Client::claude()).await;
    let claude = claude.before(&scene.instance().await);
    let call =
        || async { claude.call("list_boards", json!({"workspace": "docs"})).await.to_string() };
    let before = call().await;
    let mut told = Vec::new();

    scene.acme.set_account("docs", AccountState::Suspended).await;
    told.push(call().await);
    scene.acme.set_account("docs", AccountState::Approved).await;
    assert_eq!(call().await, before);

    scene.acme.set_state(TenantState::Suspended).await;
    told.push(call().await);
    scene.acme.set_state(TenantState::Live).await;
    assert_eq!(call().await, before);

    scene.ada.leave("docs").await;
    told.push(call().await);
    scene.ada.disable().await;
    told.push(call().await);
    insta::assert_snapshot!(told.join("\n"), @r#"
    refused: The workspace "docs" cannot be used now: its account is suspended. Ask whoever manages it, or use another; list_workspaces lists yours.
    403 {"jsonrpc":"2.0","error":{"code":-32600,"message":"This service is suspended at the moment"}}
    refused: You have no such workspace. None of yours can be used here now. Ask whoever manages the account to add you to one.
    401 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Sign in again: the access token is not valid here"}}
    "#);
}
