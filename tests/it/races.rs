//! Many at once, against a real Postgres: one of them has it, and what ended has ended.

use std::sync::Arc;
use std::time::Duration;

use portico_model::ConnectionId;
use portico_storage as storage;
use portico_storage::connection::ending::{self, Ending};
use portico_testkit::client::{Ask, Registered};
use portico_testkit::{
    Answer, Browser, Client, Connection, Database, Gateway, Person, Portico, Scratch, Tenant,
};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const AT_ONCE: usize = 16;
const ROUNDS: usize = 200;
const REFRESHES: usize = 8;
const IDLE: Duration = Duration::from_hours(1);

struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
    browser: Browser,
    registered: Registered,
    /// With a connection for each of those who race.
    wide: Gateway,
    /// Another instance of that width.
    second: Gateway,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").await;
        let browser = ada.browser().await;
        let registered = Client::claude().register(&acme.gateway, &acme.resource()).await;
        let width = u32::try_from(AT_ONCE).unwrap();
        let wide = acme.gateway.with_pool(db.pool_of(width).await).await;
        let second = acme.gateway.with_pool(db.pool_of(width).await).await;
        Self { db, acme, ada, browser, registered, wide, second }
    }

    async fn allowed(&mut self) -> (Ask, String) {
        let ask = self.registered.ask();
        let callback = self.ada.allow(&mut self.browser, &ask).await;
        let code = ask.code(&callback);
        (ask, code)
    }

    async fn is_let_in(&self, answer: &Answer) -> bool {
        let gateway = self.acme.gateway.clone();
        Connection::of_tokens(gateway, self.registered.clone(), answer).is_let_in().await
    }

    /// An app that ada allowed, at the first instance.
    async fn connected(&mut self) -> Connection {
        let (ask, code) = self.allowed().await;
        let answer = ask.exchange(&self.acme.gateway, &code).await;
        Connection::of_tokens(self.acme.gateway.clone(), self.registered.clone(), &answer)
    }

    async fn newest_connection(&self) -> ConnectionId {
        let newest = "select connection_id from connections order by created_at desc limit 1";
        let rows = self.db.rows(newest).await;
        rows[0]["connection_id"].as_str().unwrap().parse().unwrap()
    }
}

// mcp:A10, sec:F03
#[tokio::test(flavor = "multi_thread")]
async fn of_sixteen_exchanges_of_one_code_one_wins_and_its_token_lives() {
    let mut scene = Scene::new().await;
    for round in 0..ROUNDS {
        let (ask, code) = scene.allowed().await;
        let start = Arc::new(Barrier::new(AT_ONCE));
        let mut racing = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (ask, code, start) = (ask.clone(), code.clone(), Arc::clone(&start));
            let gateway = scene.wide.clone();
            racing.spawn(async move {
                start.wait().await;
                ask.exchange(&gateway, &code).await
            });
        }
        let answers = racing.join_all().await;
        let (won, lost): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!((won.len(), lost.len()), (1, AT_ONCE - 1), "round {round}");
        for answer in lost {
            assert_eq!(answer.json()["error"], "invalid_grant", "round {round}");
        }
        assert!(scene.is_let_in(&won[0]).await, "round {round}");
    }
}

// sec:F01
#[tokio::test(flavor = "multi_thread")]
async fn wrong_verifiers_at_once_are_all_counted() {
    let mut scene = Scene::new().await;
    for round in 0..20 {
        let (ask, code) = scene.allowed().await;
        let mut racing = JoinSet::new();
        for _ in 0..5 {
            let mut ask = ask.clone();
            "guessed".clone_into(&mut ask.verifier);
            let (code, gateway) = (code.clone(), scene.wide.clone());
            racing.spawn(async move { ask.exchange(&gateway, &code).await });
        }
        racing.join_all().await;
        assert_eq!(ask.exchange(&scene.wide, &code).await.status, 400, "round {round}");
    }
}

// sec:E07
#[tokio::test(flavor = "multi_thread")]
async fn of_several_answers_to_one_request_one_counts() {
    let mut scene = Scene::new().await;
    for round in 1..=20 {
        let page = scene.browser.open(&scene.registered.ask().url()).await;
        let mut racing = JoinSet::new();
        for button in ["Allow", "Allow", "Cancel", "Allow"] {
            let (mut browser, page) = (scene.browser.clone().before(&scene.wide), page.clone());
            racing.spawn(async move { browser.press(&page, button, &[]).await.has_left() });
        }
        let left = racing.join_all().await;
        assert_eq!(left.into_iter().filter(|left| *left).count(), 1, "round {round}");
    }
    let codes = scene.db.rows("select connection_id from authorization_codes").await.len();
    let connections = scene.db.rows("select connection_id from connections").await.len();
    assert_eq!(codes, connections);
}

// pre:O22
#[tokio::test(flavor = "multi_thread")]
async fn an_exchange_and_an_ending_at_once_leave_no_token_that_lives() {
    let mut scene = Scene::new().await;
    for round in 0..100 {
        let (ask, code) = scene.allowed().await;
        let connection = scene.newest_connection().await;
        let start = Arc::new(Barrier::new(2));
        let (gateway, other) = (scene.wide.clone(), Arc::clone(&start));
        let mut racing = JoinSet::new();
        racing.spawn(async move {
            other.wait().await;
            ask.exchange(&gateway, &code).await
        });
        let mut conn = storage::acquire(scene.acme.gateway.pool()).await.unwrap();
        start.wait().await;
        let (tenant, person) = (scene.acme.id, scene.ada.id);
        let ended = ending::end_own(&mut conn, tenant, person, connection).await;
        assert_eq!(ended.unwrap(), Ending::Ended, "round {round}");
        drop(conn);
        for answer in racing.join_all().await {
            let lives = answer.status == 200 && scene.is_let_in(&answer).await;
            assert!(!lives, "round {round}");
        }
    }
}

// sec:G08, sec:H01
#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_and_an_ending_at_once_leave_no_token_that_lives() {
    let scene = Scene::new().await;
    rotate_and_end(&scene, &scene.second, &scene.wide).await;
}

// sec:G08, sec:H01
#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_and_an_ending_at_two_processes_leave_no_token_that_lives() {
    let (scene, scratch) = (Scene::new().await, Scratch::new());
    let url = scene.db.url();
    let arguments = ["--log", "info", "--shared-egress", "127.0.0.0/8"];
    let processes = [(); 2].map(|()| Portico::serve_acme(&scratch, url, &arguments));
    let (first, second) = (processes[0].gateway(url).await, processes[1].gateway(url).await);
    rotate_and_end(&scene, &first, &second).await;
}

/// Rotates at the one while the connection is ended at the other.
async fn rotate_and_end(scene: &Scene, one: &Gateway, other: &Gateway) {
    let mut won = [0; 2];
    for round in 0..ROUNDS {
        let claude = scene.ada.mint(&scene.registered, Some(IDLE)).await.before(one);
        let (rotation_waits, ending_waits) = stagger(round);
        let start = Arc::new(Barrier::new(2));
        let (rotating, at_start) = (claude.clone(), Arc::clone(&start));
        let refreshing = JoinSet::from_iter([async move {
            at_start.wait().await;
            tokio::time::sleep(rotation_waits).await;
            rotating.refresh().await
        }]);
        let token = claude.refresh_token.as_deref().unwrap();
        let form = [("token", token), ("client_id", claude.registered.id.as_str())];
        start.wait().await;
        tokio::time::sleep(ending_waits).await;
        let revoked = other.post_form("/oauth/revoke", &form).await;
        assert_eq!(revoked.status, 200, "round {round}");
        let mut holders = vec![claude.clone()];
        for answer in refreshing.join_all().await {
            won[usize::from(answer.status == 200)] += 1;
            if answer.status == 200 {
                let registered = claude.registered.clone();
                holders.push(Connection::of_tokens(one.clone(), registered, &answer));
            } else {
                assert_eq!(answer.json()["error"], "invalid_grant", "round {round}");
            }
        }
        for holder in holders {
            assert!(!holder.is_let_in().await, "round {round}");
            assert_eq!(holder.refresh().await.json()["error"], "invalid_grant", "round {round}");
        }
    }
    assert!(won.iter().all(|times| *times > 0), "{won:?}: they never met");
}

/// How long each of two waits. Either is the later one by more and more, so that they meet however
/// long each takes, and come in both orders however few cores there are.
fn stagger(round: usize) -> (Duration, Duration) {
    let wait = Duration::from_millis(2) * u32::try_from(round / 2 % 10).unwrap();
    if round.is_multiple_of(2) { (wait, Duration::ZERO) } else { (Duration::ZERO, wait) }
}

// sec:G03, cli:57
#[tokio::test(flavor = "multi_thread")]
async fn refreshes_of_one_token_at_once_at_two_instances_are_one_answer() {
    let mut scene = Scene::new().await;
    for round in 0..ROUNDS {
        let claude = scene.connected().await;
        let start = Arc::new(Barrier::new(REFRESHES));
        let refreshing = (0..REFRESHES).map(|place| {
            let instance = if place % 2 == 0 { &scene.wide } else { &scene.second };
            let (claude, start) = (claude.clone().before(instance), Arc::clone(&start));
            async move {
                start.wait().await;
                claude.refresh().await
            }
        });
        let refreshing: JoinSet<Answer> = refreshing.collect();
        let answers = refreshing.join_all().await;
        for answer in &answers {
            let same = (answer.status.as_u16(), &answer.body);
            assert_eq!(same, (200, &answers[0].body), "round {round}");
        }
        let (gateway, registered) = (claude.gateway.clone(), claude.registered.clone());
        let next = Connection::of_tokens(gateway, registered, &answers[0]);
        assert!(next.is_let_in().await && claude.is_let_in().await, "round {round}");
    }
    let connections = scene.db.rows("select 1 from connections").await.len();
    let tokens = scene.db.rows("select 1 from refresh_tokens").await.len();
    assert_eq!((connections, tokens), (ROUNDS, 2 * ROUNDS));
}

// cli:27
#[tokio::test(flavor = "multi_thread")]
async fn registrations_at_once_are_one_client() {
    let scene = Scene::new().await;
    for round in 0..20 {
        let body = Client::new(&format!("App {round}"), "https://client.test/cb").registration;
        let mut racing = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (gateway, body) = (scene.wide.clone(), body.clone());
            racing.spawn(async move { gateway.post_json("/oauth/register", &body).await });
        }
        let answers = racing.join_all().await;
        let mut ids: Vec<_> =
            answers.iter().map(|answer| answer.json()["client_id"].to_string()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 1, "round {round}");
    }
}
