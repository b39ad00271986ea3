//! Many at once, against a real Postgres: one of them has it, and what ended has ended.

use std::sync::Arc;

use portico_model::ConnectionId;
use portico_storage as storage;
use portico_testkit::client::{Ask, Registered};
use portico_testkit::{Answer, Browser, Client, Connection, Database, Gateway, Person, Tenant};
use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const AT_ONCE: usize = 16;
const ROUNDS: usize = 200;

struct Scene {
    db: Database,
    acme: Tenant,
    ada: Person,
    browser: Browser,
    registered: Registered,
    /// With a connection for each of those who race.
    wide: Gateway,
}

impl Scene {
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").await;
        let browser = ada.browser().await;
        let registered = Client::claude().register(&acme.gateway, &acme.resource()).await;
        let pool = db.pool_of(u32::try_from(AT_ONCE).unwrap()).await;
        let wide = acme.gateway.with_pool(pool).await;
        Self { db, acme, ada, browser, registered, wide }
    }

    async fn allowed(&mut self) -> (Ask, String) {
        let ask = self.registered.ask();
        let callback = self.ada.allow(&mut self.browser, &ask).await;
        let code = ask.code(&callback);
        (ask, code)
    }

    async fn is_let_in(&self, answer: &Answer) -> bool {
        let token = answer.json()["access_token"].as_str().unwrap().to_owned();
        let connection = Connection::new(self.acme.gateway.clone(), self.registered.clone(), token);
        let answer = connection.ask("ping", json!({})).await;
        match answer.status.as_u16() {
            200 => true,
            401 => false,
            status => panic!("{status} {}", answer.body),
        }
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
        let ended = storage::connection::end_own(&mut conn, tenant, person, connection).await;
        assert!(ended.unwrap(), "round {round}");
        drop(conn);
        for answer in racing.join_all().await {
            let lives = answer.status == 200 && scene.is_let_in(&answer).await;
            assert!(!lives, "round {round}");
        }
    }
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
