//! What goes wrong around the gateway, and what must not come of it.

mod away;
mod silence;

use std::time::Duration;

use futures_util::future::join_all;
use portico_model::{Kind, PlainToken};
use portico_testkit::{Client, Database, Tenant};

const ROUNDS: u64 = 60;
const AT_ONCE: u64 = 8;
const OPEN: &str = "select pid, state from pg_stat_activity \
    where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()";
const PATIENCE: Duration = Duration::from_millis(20);

// sec:F22
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_hangs_up_leaves_no_transaction_behind() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let registered = Client::claude().register(&acme.gateway, &acme.resource()).await;
    let endpoint = registered.endpoints.token.clone();
    let code = PlainToken::mint(Kind::Code, [7; 32]);
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", registered.id.as_str()),
        ("code", code.expose()),
        ("code_verifier", &"v".repeat(43)),
    ];

    for round in 0..ROUNDS {
        // Each is cut off a little later than the one before, so that some are cut off while
        // their transaction begins.
        let cut_off = (0..AT_ONCE).map(|place| {
            let after = Duration::from_micros((round * AT_ONCE + place) * 4);
            tokio::time::timeout(after, acme.gateway.post_form(&endpoint, &form))
        });
        drop(join_all(cut_off).await);
        // Before anybody uses the connections again: that would hide it.
        let mut open = db.rows(OPEN).await;
        for _ in 0..100 {
            if open.is_empty() {
                break;
            }
            tokio::time::sleep(PATIENCE).await;
            open = db.rows(OPEN).await;
        }
        assert_eq!(open, Vec::<serde_json::Value>::new(), "nobody ends these transactions");
    }
}
