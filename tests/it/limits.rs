//! How much a connection may do: calls a minute and writes a day, over all instances together.

mod budget;
mod rate;

use std::time::Duration;

use futures_util::future::join_all;
use portico_testkit::{
    Called, Client, Connection, Database, Gateway, Person, Portico, Scratch, Tenant,
};
use serde_json::{Value, json};

/// A database that runs again is found at the next look, twice a second.
const PAUSE: Duration = Duration::from_millis(20);
const PATIENCE: usize = 500;

/// Two instances on one database, and an app that calls at either.
struct World {
    db: Database,
    acme: Tenant,
    ada: Person,
    claude: Connection,
    instances: Vec<Gateway>,
    _processes: Vec<(Portico, Scratch)>,
}

impl World {
    /// Where it is that time, and these limits hold.
    async fn new(at: &str, limits: &str) -> Self {
        let db = Database::new().await;
        db.set_clock(at).await;
        let acme = Tenant::new(&db).await;
        acme.limit(limits).await;
        let ada = acme.person("ada").member_of("docs").await;
        let claude = ada.connect(Client::claude()).await;
        let other = acme.gateway.with_pool(db.pool().await).await;
        let instances = vec![acme.gateway.clone(), other];
        Self { db, acme, ada, claude, instances, _processes: Vec::new() }
    }

    /// The same, where the instances are processes of the real program, and it is so much later
    /// for the second.
    async fn of_processes(db: Database, at: &str, limits: &str, ahead: Duration) -> Self {
        db.set_clock(at).await;
        let acme = Tenant::new(&db).await;
        acme.limit(limits).await;
        let ada = acme.person("ada").member_of("docs").await;
        let claude = ada.connect(Client::claude()).await;
        let mut processes = Vec::new();
        let mut instances = Vec::new();
        for url in [db.url().to_owned(), db.url_later(ahead)] {
            let scratch = Scratch::new();
            let portico = Portico::serve_acme(&scratch, &url, &[]);
            instances.push(portico.gateway(&url).await);
            processes.push((portico, scratch));
        }
        Self { db, acme, ada, claude, instances, _processes: processes }
    }

    /// The app before the instance of that number.
    fn at(&self, instance: usize) -> Connection {
        self.claude.clone().before(&self.instances[instance])
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

    /// Until the database is there again for both.
    async fn comes_back(&self) {
        for instance in 0..2 {
            let app = self.at(instance);
            for _ in 0..PATIENCE {
                if app.ask("ping", json!({})).await.status == 200 {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
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
