//! How much a connection may do: calls a minute and writes a day, over all instances together.

mod budget;
mod rate;

use futures_util::future::join_all;
use portico_testkit::{Called, Client, Connection, Database, Gateway, Person, Tenant};
use serde_json::{Value, json};

/// Two instances on one database, and an app that calls at either.
struct World {
    db: Database,
    acme: Tenant,
    ada: Person,
    claude: Connection,
    other: Gateway,
}

impl World {
    /// Where it is that time, and these limits hold.
    async fn new(at: &str, limits: &str) -> Self {
        Self::on(Database::new().await, at, limits).await
    }

    async fn on(db: Database, at: &str, limits: &str) -> Self {
        db.set_clock(at).await;
        let acme = Tenant::new(&db).await;
        acme.limit(limits).await;
        let ada = acme.person("ada").member_of("docs").await;
        let claude = ada.connect(Client::claude()).await;
        let other = acme.gateway.with_pool(db.pool().await).await;
        Self { db, acme, ada, claude, other }
    }

    /// The app before the instance of that number.
    fn at(&self, instance: usize) -> Connection {
        let gateway = if instance == 0 { &self.acme.gateway } else { &self.other };
        self.claude.clone().before(gateway)
    }

    /// One call after the other, each at the instance that is named; answers how many of them
    /// were answered.
    async fn calls(&self, instances: impl IntoIterator<Item = usize>) -> usize {
        let mut answered = 0;
        for instance in instances {
            answered += usize::from(is_answered(&look(&self.at(instance)).await));
        }
        answered
    }

    /// So many callers at once, half of them at either instance, each calling so often.
    async fn at_once(&self, callers: usize, calls: usize) -> usize {
        let calling = (0..callers)
            .map(|caller| async move { self.calls(std::iter::repeat_n(caller % 2, calls)).await });
        join_all(calling).await.into_iter().sum()
    }

    /// Of each minute, as the record has it: how many calls were answered, and how many refused.
    async fn minutes(&self, calls: u64) -> Vec<Value> {
        self.db.wait_for_calls(calls).await;
        let minutes = "select to_char(started_at at time zone 'UTC', 'HH24:MI') as minute,
                count(*) filter (where outcome = 'answered') as answered,
                count(*) filter (where reason = 'rate_limited') as refused
            from calls group by 1 order by 1";
        self.db.rows(minutes).await
    }
}

async fn look(connection: &Connection) -> Called {
    connection.call("list_workspaces", json!({})).await
}

/// Anything but an answer must be a refusal for the limit.
fn is_answered(called: &Called) -> bool {
    assert_eq!(called.0.status, 200, "{called}");
    let result = &called.0.json()["result"];
    let is_refused = result["_meta"]["portico/reason"] == "rate_limited";
    assert_eq!(called.is_error(), is_refused, "{called}");
    !is_refused
}
