//! Whose a host is: declared by the tenant, proved by the operator's word, and nobody's any more
//! from the moment that either is taken back.

use portico_server::app::modules;
use portico_server::tenant;
use portico_storage::{self as storage, connection, host};
use portico_testkit::{Browser, Client, Connection, Portico, Tenant};
use serde_json::json;

use super::{HOST, Scene, status};

async fn document_status(scene: &Scene, gateway: &portico_testkit::Gateway) -> u16 {
    let url = format!("{}/.well-known/oauth-authorization-server", scene.root);
    gateway.fetch(&url).await.status.as_u16()
}

impl Scene {
    async fn globex(&self) -> Tenant {
        Tenant::named(self.acme.gateway.clone(), "globex").await
    }

    async fn reasons(&self) -> Vec<String> {
        let mut conn = storage::acquire(self.acme.gateway.pool()).await.unwrap();
        let ended = connection::ended_of_person(&mut conn, self.acme.id, self.ada.id).await;
        ended.unwrap().iter().map(|it| it.reason.as_str().to_owned()).collect()
    }

    /// The app before an instance that has served it there before.
    async fn elsewhere(&self, app: &Connection) -> Connection {
        let app = app.clone().before(&self.instance().await);
        assert_eq!(status(&app).await, 200);
        app
    }
}

// pre:O21
#[tokio::test]
async fn a_host_that_is_dropped_is_refused_from_the_next_call_on_at_every_instance() {
    let scene = Scene::new().await;
    let here = scene.connect_to(&scene.root).await;
    let raw = scene.connect_to(&scene.acme.resource()).await;
    let there = scene.elsewhere(&here).await;

    assert_eq!(scene.acme.apply(&scene.acme.document()).await, 1);

    for app in [&there, &here] {
        let refused = app.ask("tools/list", json!({})).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused.brief(), @r#"421 {"jsonrpc":"2.0","error":{"code":-32600,"message":"No such host is served here"}}"#);
        }
        assert_eq!(document_status(&scene, &app.gateway).await, 421);
    }
    assert_eq!(status(&raw).await, 200);
    assert_eq!(scene.reasons().await, ["server_removed"]);
    let told = "select event from security_events where event = 'server_removed'";
    assert_eq!(scene.db.rows(told).await.len(), 1);
    // Declared again, it is not what it was before somebody says so.
    scene.acme.apply(&scene.acme.document_with_host(HOST)).await;
    assert_eq!(document_status(&scene, &scene.acme.gateway).await, 421);
}

// pre:O21
#[tokio::test]
async fn a_host_that_is_dropped_takes_with_it_what_was_connected_at_any_of_its_addresses() {
    let scene = Scene::new().await;
    let mut apps = Vec::new();
    for narrowed in ["", "/readonly", "/w/docs.example", "/w/docs.example/readonly"] {
        let raw = format!("{}{narrowed}", scene.acme.resource());
        apps.push(scene.connect_to(&raw).await);
        scene.connect_to(&format!("{}{narrowed}", scene.root)).await;
    }
    assert_eq!(scene.acme.apply(&scene.acme.document()).await, 4);
    for app in apps {
        assert_eq!(status(&app).await, 200, "{}", app.registered.resource);
    }
}

/// Presses Allow at the host while a change is under way, which ends once the answer waits for it.
async fn allow_during(scene: &Scene, change: storage::Tx) -> String {
    let ask = Client::claude().register(&scene.acme.gateway, &scene.root).await.ask();
    let mut browser = Browser::new(&scene.acme.gateway);
    let page = browser.open(&ask.url()).await;
    let page = scene.ada.sign_in(&mut browser, &page).await;
    let waiting = "select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    let commit = async {
        for _ in 0..100 {
            if !scene.db.rows(waiting).await.is_empty() {
                break;
            }
        }
        storage::commit(change).await.unwrap();
    };
    let (page, ()) = tokio::join!(browser.press(&page, "Allow", &[]), commit);
    page.brief()
}

// pre:O21
#[tokio::test]
async fn a_yes_that_comes_while_the_host_is_withdrawn_connects_nothing() {
    let scene = Scene::new().await;
    let pool = scene.acme.gateway.pool();
    let mut dropped = storage::begin(pool).await.unwrap();
    let document = scene.acme.document();
    tenant::apply(&mut dropped, &modules(), "acme", &document).await.unwrap();
    let told = allow_during(&scene, dropped).await;
    assert_eq!(told, "400 This app can no longer be connected");

    scene.acme.add_host(HOST).await;
    let mut withdrawn = storage::begin(pool).await.unwrap();
    assert!(host::withdraw(&mut withdrawn, scene.acme.id, HOST).await.unwrap());
    let told = allow_during(&scene, withdrawn).await;
    assert_eq!(told, "400 This app can no longer be connected");
    assert_eq!(scene.db.rows("select 1 from connections").await.len(), 0);
}

#[tokio::test]
async fn a_server_that_is_dropped_ends_what_was_connected_to_it() {
    let scene = Scene::new().await;
    let with_another = format!(
        "{}\n[[servers]]\nname = \"readers\"\ntitle = \"Readers\"\ntools = [\"read_board\"]\n",
        scene.acme.document_with_host(HOST)
    );
    scene.acme.apply(&with_another).await;
    let readers = scene.acme.resource().replace("/mcp/boards", "/mcp/readers");
    let gone = scene.elsewhere(&scene.connect_to(&readers).await).await;
    let kept = scene.elsewhere(&scene.connect_to(&scene.root).await).await;

    assert_eq!(scene.acme.apply(&scene.acme.document_with_host(HOST)).await, 1);

    assert_eq!(status(&gone).await, 401);
    assert_eq!(status(&kept).await, 200);
    // The same again ends nothing else.
    assert_eq!(scene.acme.apply(&scene.acme.document_with_host(HOST)).await, 0);
}

#[tokio::test]
async fn a_host_that_becomes_another_servers_ends_what_was_connected_there() {
    let scene = Scene::new().await;
    let app = scene.elsewhere(&scene.connect_to(&scene.root).await).await;
    let moved = format!(
        "{}\n[[servers]]\nname = \"readers\"\ntitle = \"Readers\"\nhosts = [\"{HOST}\"]\ntools = [\"read_board\"]\n",
        scene.acme.document()
    );
    assert_eq!(scene.acme.apply(&moved).await, 1);
    assert_eq!(status(&app).await, 401);
    let anew = scene.connect_to(&scene.root).await.before(&app.gateway);
    let listed = anew.ask("tools/list", json!({})).await.json();
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["list_workspaces", "read_board"]);
}

#[tokio::test]
async fn a_host_that_moves_to_another_tenant_is_theirs_at_every_instance() {
    let scene = Scene::new().await;
    let stale = scene.elsewhere(&scene.connect_to(&scene.root).await).await;
    scene.acme.apply(&scene.acme.document()).await;
    let globex = scene.globex().await;
    globex.add_host(HOST).await;
    let bob = globex.person("bob").member_of("docs").await;
    let theirs = bob.connect_to(Client::claude(), &scene.root).await;
    // An instance that still believes it to be Acme's.
    let theirs = theirs.before(&stale.gateway);
    assert_eq!(status(&theirs).await, 200);
    assert_eq!(status(&stale).await, 401);
}

#[tokio::test]
async fn two_tenants_never_have_one_host() {
    let scene = Scene::new().await;
    let globex = scene.globex().await;
    globex.apply(&globex.document_with_host(HOST)).await;
    let mut conn = storage::acquire(scene.acme.gateway.pool()).await.unwrap();
    let refused = host::prove(&mut conn, globex.id, HOST).await.unwrap_err();
    assert!(refused.violates(host::PROVED_KEY), "{refused:?}");
    drop(conn);
    let app = scene.connect_to(&scene.root).await;
    assert_eq!(status(&app).await, 200);
}

#[tokio::test]
async fn the_operator_says_whose_a_host_is() {
    let scene = Scene::new().await;
    let globex = scene.globex().await;
    globex.apply(&globex.document_with_host("mcp.globex.example")).await;
    let app = scene.elsewhere(&scene.connect_to(&scene.root).await).await;
    let run = |arguments: &[&str]| Portico::run(arguments, scene.db.url());

    let mut said = Vec::new();
    for arguments in [
        &["hosts", "prove", "mcp.globex.example", "--tenant", "globex"][..],
        &["hosts", "prove", "mcp.globex.example", "--tenant", "globex", "--json"],
        &["hosts", "prove", "other.example", "--tenant", "globex"],
        &["hosts", "prove", HOST, "--tenant", "nobody"],
        &["hosts", "withdraw", "MCP.ACME.EXAMPLE", "--tenant", "acme", "--json"],
        &["hosts", "list"],
    ] {
        let mut told = run(arguments);
        if arguments.last() == Some(&"list") {
            told = without_times(&told);
        }
        said.push(format!("{}\n{told}", arguments.join(" ")));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    hosts prove mcp.globex.example --tenant globex
    0: mcp.globex.example is globex's, and served from now on.

    hosts prove mcp.globex.example --tenant globex --json
    0: {"host":"mcp.globex.example","tenant":"globex","is_served":true,"ended_connections":0}

    hosts prove other.example --tenant globex
    6: portico: globex does not declare other.example; add it to a server's `hosts` first

    hosts prove mcp.acme.example --tenant nobody
    6: portico: there is no tenant nobody

    hosts withdraw MCP.ACME.EXAMPLE --tenant acme --json
    0: {"host":"mcp.acme.example","tenant":"acme","is_served":false,"ended_connections":1}

    hosts list
    0: mcp.acme.example  acme/boards  not proved, so not served
    mcp.globex.example  globex/boards  [time]
    "#);
    // Another's host, while they have it.
    globex.apply(&globex.document_with_host(HOST)).await;
    assert_eq!(status(&app).await, 421);
    insta::assert_snapshot!(run(&["hosts", "prove", HOST, "--tenant", "globex"]), @"0: mcp.acme.example is globex's, and served from now on.");
    insta::assert_snapshot!(run(&["hosts", "prove", HOST, "--tenant", "acme"]), @"5: portico: another tenant has proved mcp.acme.example; withdraw it there first");
    assert_eq!(status(&app).await, 401);
}

/// With `[time]` in place of every moment.
fn without_times(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace);
    words
        .map(|word| {
            let is_time = word.trim_end().ends_with('Z') && word.starts_with("20");
            if is_time {
                format!("[time]{}", &word[word.trim_end().len()..])
            } else {
                word.to_owned()
            }
        })
        .collect()
}

// cli:19
#[tokio::test]
async fn while_the_database_is_away_a_host_that_is_known_is_described_and_none_is_denied() {
    let scene = Scene::new().await;
    let app = scene.elsewhere(&scene.connect_to(&scene.root).await).await;
    app.gateway.pool().close().await;
    assert_eq!(document_status(&scene, &app.gateway).await, 200);
    assert_eq!(status(&app).await, 503);
    let unknown = "https://perhaps.example/.well-known/oauth-authorization-server";
    assert_eq!(app.gateway.fetch(unknown).await.status, 503);
}
