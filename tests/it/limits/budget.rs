//! Writes a day, each counted before it is made.

use futures_util::future::join_all;
use portico_testkit::{Called, Client, Connection};
use serde_json::{Value, json};

use super::World;

const NOON: &str = "2030-01-01 12:00:00+00";
const REFUSED: &str = "refused: daily write budget reached (20/day), resumes at UTC midnight";

async fn write(connection: &Connection, title: &str) -> Called {
    connection.call("create_board", json!({"workspace": "docs", "title": title})).await
}

impl World {
    async fn used(&self) -> Vec<Value> {
        self.db.rows("select used from write_budgets").await
    }
}

// pre:O17, pre:C15b
#[tokio::test(flavor = "multi_thread")]
async fn of_sixty_four_writes_at_two_instances_as_many_are_made_as_the_day_has_left() {
    let world = World::new(NOON, "calls_per_minute = 1000\nwrites_per_day = 20").await;
    let writers = (0..16).map(|writer| {
        let claude = world.at(writer % 2);
        async move {
            let mut told = Vec::new();
            for round in 0..4 {
                told.push(write(&claude, &format!("{writer} {round}")).await.to_string());
            }
            told
        }
    });
    let told: Vec<String> = join_all(writers).await.concat();

    let refused = told.iter().filter(|words| *words == REFUSED).count();
    let made = told.iter().filter(|words| words.starts_with("Created the board")).count();
    assert_eq!((made, refused), (20, 44), "{told:#?}");
    assert_eq!(world.db.rows("select 1 from boards").await.len(), 20);
    assert_eq!(world.used().await, [json!({"used": 20})]);
    world.db.wait_for_calls(64).await;
    let recorded = "select outcome, reason, count(*) from calls group by 1, 2 order by 1, 2";
    assert_eq!(
        world.db.rows(recorded).await,
        [
            json!({"outcome": "answered", "reason": null, "count": 20}),
            json!({"outcome": "refused", "reason": "write_budget", "count": 44}),
        ]
    );
}

// pre:O17
#[tokio::test]
async fn a_spent_budget_says_when_it_resumes_and_keeps_nobody_from_reading() {
    let world = World::new("2030-01-01 23:59:50.2+00", "writes_per_day = 1").await;
    // A day is UTC's, whatever the database shows times in.
    world.db.execute("do $$ begin execute format('alter database %I set timezone = %L', current_database(), 'Pacific/Auckland'); end $$").await;
    world.db.drop_connections().await;
    assert!(!write(&world.claude, "Launch").await.is_error());

    let refused = write(&world.at(1), "Again").await;
    insta::assert_snapshot!(refused.0.brief(), @r#"200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"daily write budget reached (1/day), resumes at UTC midnight"}],"isError":true,"_meta":{"portico/reason":"write_budget","portico/retry_after_seconds":10}}}"#);
    let read = world.claude.call("list_boards", json!({"workspace": "docs"})).await;
    assert!(!read.is_error(), "{read}");

    world.db.set_clock("2030-01-02 00:00:00+00").await;
    assert!(!write(&world.at(1), "Again").await.is_error());
    assert!(write(&world.claude, "Once more").await.is_error());
}

// pre:O17
#[tokio::test]
async fn what_was_tried_counts_even_if_it_fails_and_what_may_not_be_tried_does_not() {
    let world = World::new(NOON, "writes_per_day = 20").await;
    let viewer = world.acme.person("vera").viewer_of("docs").await;
    let vera = viewer.connect(Client::claude()).await;
    assert!(write(&vera, "Launch").await.is_error());
    for arguments in [
        json!({"workspace": "docs"}),
        json!({"workspace": "nowhere", "title": "Launch"}),
        json!({"workspace": "docs", "title": "Launch", "colour": "red"}),
    ] {
        assert!(world.claude.call("create_board", arguments).await.is_error());
    }
    assert_eq!(world.used().await, Vec::<Value>::new());

    assert!(!write(&world.claude, "Launch").await.is_error());
    assert!(write(&world.claude, "Launch").await.is_error());
    assert_eq!(world.used().await, [json!({"used": 2})]);
    world.db.execute("alter table boards rename column title to lost").await;
    assert!(write(&world.claude, "Other").await.is_error());
    assert_eq!(world.used().await, [json!({"used": 3})]);
}
