//! Nothing that lets somebody in is kept where a reader of the database or of the logs finds it.

use portico_model::Address;
use portico_testkit::{Browser, Client, Connection, Database, Portico, Scratch, random};
use serde_json::json;

// mcp:R11, pre:O8
#[tokio::test]
async fn no_secret_of_a_whole_run_is_in_a_log_or_a_table() {
    let scratch = Scratch::new();
    let portico = Portico::dev(&scratch);
    let database = portico.database_url();
    let tenant = portico.tenant(&database).await;
    let gateway = tenant.gateway.clone();
    let ada = portico.person(0, &tenant).await;
    let mut secrets = vec![ada.password.clone()];

    // The whole way, by hand, so that every secret on it is seen.
    let registered = Client::claude().register(&gateway, &tenant.resource()).await;
    let ask = registered.ask();
    let mut browser = Browser::new(&gateway);
    let callback = ada.allow(&mut browser, &ask).await;
    secrets.extend(browser.cookies().values().cloned());
    let code = ask.code(&callback);
    secrets.extend([code.clone(), ask.verifier.clone()]);
    let answer = ask.exchange(&gateway, &code).await;
    let first = Connection::of_tokens(gateway.clone(), registered.clone(), &answer);
    secrets.push(first.token.clone());
    secrets.extend(first.refresh_token.clone());

    // What goes wrong is logged most.
    let mistyped = format!("{}x", ada.password);
    secrets.push(mistyped.clone());
    let page = Browser::new(&gateway).open(&tenant.url("/connections")).await;
    let fields = [("email", ada.email.as_str()), ("password", mistyped.as_str())];
    Browser::new(&gateway).press(&page, "Sign in", &fields).await;
    let wrong = "w".repeat(43);
    let replayed = ask.clone().exchange(&gateway, &code).await;
    assert_eq!(replayed.status, 400);
    let mut second = registered.ask();
    let callback = ada.allow(&mut browser, &second).await;
    second.verifier.clone_from(&wrong);
    let code = second.code(&callback);
    assert_eq!(second.exchange(&gateway, &code).await.status, 400);
    secrets.extend([code, wrong]);

    // In the grace its answer is kept, sealed, and is given again.
    let planner = gateway.issuer("acme").resource(&Address::of("planner"));
    let going_on = ada.connect_to(Client::claude_code(), &planner).await;
    let answer = going_on.refresh().await;
    assert_eq!(going_on.refresh().await.body, answer.body);
    let next = Connection::of_tokens(gateway.clone(), going_on.registered.clone(), &answer);
    for holder in [&going_on, &next] {
        secrets.push(holder.token.clone());
        secrets.extend(holder.refresh_token.clone());
    }
    let sealed = "select sealed_answer from refresh_tokens where sealed_answer is not null";
    assert_eq!(Database::at(&database).rows(sealed).await.len(), 1);

    let app = ada.connect(Client::cursor()).await;
    secrets.push(app.token.clone());
    let read = json!({ "workspace": "northwind.example", "board": "Launch" });
    assert!(!app.call("read_board", read).await.is_error());
    let mut stranger = app.clone();
    stranger.token.push('x');
    assert_eq!(stranger.call("list_workspaces", json!({})).await.0.status, 401);
    secrets.push(stranger.token);
    let revoke = [("token", app.token.as_str()), ("client_id", app.registered.id.as_str())];
    let revoked = gateway.post_form(&app.registered.endpoints.revocation, &revoke).await;
    assert_eq!(revoked.status, 200);
    assert_eq!(app.call("list_workspaces", json!({})).await.0.status, 401);

    let panel = browser.open(&tenant.url("/connections")).await;
    browser.press(&panel, "Disconnect", &[]).await;
    browser.press(&panel, "Sign out", &[]).await;
    gateway.pool().close().await;

    let dump = Database::at(&database).dump().await;
    assert!(portico.stop().success());
    let logs = scratch.logs();
    assert!(secrets.len() >= 13 && secrets.iter().all(|secret| secret.len() >= 16), "{secrets:?}");
    for secret in &secrets {
        let hex = random::hex(secret.as_bytes());
        for text in [secret, &hex] {
            assert!(!dump.contains(text), "{text} is in a table");
            assert!(!logs.contains(text), "{text} is in a log");
        }
    }
    // The search itself finds what is there.
    let is_seen = dump.contains(&registered.id) && logs.contains("from access_tokens a");
    assert!(is_seen, "this is neither the table nor the log");
}
