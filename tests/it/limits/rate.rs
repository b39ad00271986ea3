//! Calls a minute, which instances lease in slices.

use std::iter::repeat_n;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures_util::future::join_all;
use portico_testkit::{Client, Connection, Database, Postgres};
use serde_json::json;

use super::{World, is_answered, look};

const START: &str = "2030-01-01 09:30:05+00";
const SIXTY: &str = "calls_per_minute = 60";

/// Never above the allowance, never refused below nine tenths of it.
const ALLOWED: RangeInclusive<usize> = 54..=60;

async fn processes(db: Database, at: &str, ahead: Duration) -> World {
    World::of_processes(db, at, SIXTY, ahead).await
}

// pre:O18, pre:A7, pre:C15b, sec:P02
#[tokio::test]
async fn a_minute_has_no_call_above_the_allowance_however_they_are_spread() {
    let world = World::new(START, SIXTY).await;
    let halves = repeat_n(0, 40).chain(repeat_n(1, 80)).collect();
    let ninths: Vec<usize> = (0..120).map(|call| usize::from(call % 10 == 0)).collect();
    let spreads: [(&str, Vec<usize>); 4] = [
        ("alternating", (0..120).map(|call| call % 2).collect()),
        ("all at one", vec![0; 120]),
        ("few at the other", ninths),
        ("one after the other", halves),
    ];
    let mut made = 0;
    for (minute, (name, instances)) in (30..).zip(spreads) {
        world.db.set_clock(&format!("2030-01-01 09:{minute}:05+00")).await;
        made += instances.len() as u64;
        let answered = world.calls(instances).await;
        assert!(ALLOWED.contains(&answered), "{name}: {answered}");
    }

    for minute in world.minutes(made).await {
        let answered = usize::try_from(minute["answered"].as_u64().unwrap()).unwrap();
        assert!(ALLOWED.contains(&answered), "{minute}");
    }
}

// pre:A7, sec:P02
#[tokio::test(flavor = "multi_thread")]
async fn sixteen_callers_at_once_have_the_allowance_of_each_minute() {
    let world = processes(Database::new().await, START, Duration::ZERO).await;
    for minute in 30..40 {
        world.db.set_clock(&format!("2030-01-01 09:{minute}:59.9+00")).await;
        let answered = world.at_once(16, 8).await;
        assert!(ALLOWED.contains(&answered), "{minute}: {answered}");
    }
    assert_eq!(world.minutes(1_280).await.len(), 10);
}

// pre:A7, sec:P02
#[tokio::test(flavor = "multi_thread")]
async fn a_minute_that_ends_among_sixteen_callers_takes_nothing_into_the_next() {
    let db = Database::new().await;
    let world = processes(db, "2030-01-01 09:30:59.9+00", Duration::ZERO).await;
    let turn = async {
        tokio::time::sleep(Duration::from_millis(40)).await;
        world.db.set_clock("2030-01-01 09:31:00+00").await;
    };
    tokio::join!(world.at_once(16, 16), turn);
    // Whatever the old minute had, the new one is whole.
    world.at_once(16, 8).await;

    let minutes = world.minutes(384).await;
    let answered = |at: &str| {
        minutes.iter().find(|it| it["minute"] == at).unwrap()["answered"].as_u64().unwrap()
    };
    assert!(answered("09:30") <= 60, "{minutes:?}");
    assert!((54..=60).contains(&answered("09:31")), "{minutes:?}");
    assert_eq!(minutes.len(), 2);
}

// Only the database's clock counts, and even sessions that disagree about it share one minute.
// pre:A7, sec:P02
#[tokio::test]
async fn an_instance_whose_clock_is_ahead_adds_no_call_to_any_minute() {
    let ahead = Duration::from_secs(5);
    let world = processes(Database::new().await, "2030-01-01 09:30:57+00", ahead).await;

    let answered = world.calls((0..240).map(|call| call % 2)).await;
    let minutes = world.minutes(240).await;
    // The first slice was of the old minute, and whoever comes late counts in the new one.
    let made: Vec<_> = minutes.iter().map(|it| (&it["minute"], &it["answered"])).collect();
    let new = answered - 3;
    assert_eq!(made, [(&json!("09:30"), &json!(3)), (&json!("09:31"), &json!(new))]);
    assert!(ALLOWED.contains(&new), "{new}");
}

// pre:A7, sec:P02
#[tokio::test]
async fn a_database_that_drops_its_connections_changes_no_allowance() {
    let world = World::new(START, SIXTY).await;
    for minute in 30..33 {
        world.db.set_clock(&format!("2030-01-01 09:{minute}:05+00")).await;
        let mut answered = 0;
        for round in 0..15 {
            answered += world.calls((0..8).map(|call| (round + call) % 2)).await;
            world.db.drop_connections().await;
        }
        assert!(ALLOWED.contains(&answered), "{minute}: {answered}");
    }
}

// pre:A7, sec:P02
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_killed_gives_no_call_twice() {
    let mut postgres = Postgres::new();
    let ahead = Duration::from_secs(5);
    let world = processes(postgres.database().await, START, ahead).await;
    let mut away = 0;
    for minute in 30..33 {
        world.db.set_clock(&format!("2030-01-01 09:{minute}:05+00")).await;
        let is_killed = AtomicBool::new(false);
        let callers = (0..16).map(|caller| until_killed(world.at(caller % 2), &is_killed));
        let killing = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            postgres.kill();
            is_killed.store(true, Relaxed);
        };
        let (fared, ()) = tokio::join!(join_all(callers), killing);
        tokio::task::block_in_place(|| postgres.restart());
        world.comes_back().await;
        let mut answered = world.at_once(16, 8).await;
        let mut lost = 0;
        for (before, cut_off) in fared {
            answered += before;
            lost += cut_off;
        }
        assert!(answered <= *ALLOWED.end(), "{minute}: {answered}");
        // A call that was counted, and cut off before its answer, was not refused for the limit.
        assert!(answered + lost >= *ALLOWED.start(), "{minute}: {answered} and {lost}");
        away += lost;
    }
    assert!(away > 0, "no call met the outage");
}

/// Calls, and once more when the database is dead; answers how often it was answered, and how often
/// the database was away.
async fn until_killed(claude: Connection, is_killed: &AtomicBool) -> (usize, usize) {
    let (mut answered, mut away) = (0, 0);
    loop {
        let is_last = is_killed.load(Relaxed);
        let called = look(&claude).await;
        if called.0.status == 503 {
            away += 1;
        } else {
            answered += usize::from(is_answered(&called));
        }
        if is_last {
            return (answered, away);
        }
    }
}

// pre:O18, cli:75
#[tokio::test]
async fn a_call_above_the_allowance_says_how_long_to_wait() {
    let world = World::new("2030-01-01 09:30:20.5+00", "calls_per_minute = 2").await;
    assert_eq!(world.calls([0, 1]).await, 2);

    let refused = look(&world.claude).await;
    insta::assert_snapshot!(refused.0.brief(), @r#"200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"limit reached: this connection may make 2 calls a minute; try again in 40 s"}],"isError":true,"_meta":{"portico/reason":"rate_limited","portico/retry_after_seconds":40}}}"#);
    assert!(!is_answered(&look(&world.at(1)).await));

    world.db.set_clock("2030-01-01 09:31:00+00").await;
    assert!(is_answered(&look(&world.claude).await));
    let minutes = world.minutes(5).await;
    assert_eq!(
        minutes,
        [
            json!({"minute": "09:30", "answered": 2, "refused": 2}),
            json!({"minute": "09:31", "answered": 1, "refused": 0}),
        ]
    );
}

// pre:O18
#[tokio::test]
async fn a_tenant_may_have_429_instead() {
    let world = World::new(START, "calls_per_minute = 1\nover_limit = \"429\"").await;
    assert_eq!(world.calls([0]).await, 1);

    for instance in [0, 1] {
        let refused = look(&world.at(instance)).await.0;
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused.brief(), @r#"429 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"limit reached: this connection may make 1 call a minute; try again in 55 s"}}"#);
        }
        assert_eq!(refused.header("retry-after"), Some("55"));
    }
    assert_eq!(world.minutes(3).await, [json!({"minute": "09:30", "answered": 1, "refused": 2})]);
}

// The order of a call: its tool, the rate, and then everything else.
// pre:O18
#[tokio::test]
async fn every_call_of_a_tool_counts_and_what_is_no_tool_does_not() {
    let world = World::new(START, "calls_per_minute = 3").await;
    let mut told = Vec::new();
    for (tool, arguments) in [
        ("drop_board", json!({})),
        ("list_workspaces", json!({"what": 1})),
        ("read_board", json!({"board": "none", "workspace": "docs"})),
        ("read_board", json!({})),
        ("create_board", json!({})),
        ("drop_board", json!({})),
    ] {
        told.push(world.claude.call(tool, arguments).await.to_string());
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    {"code":-32602,"message":"Unknown tool: drop_board"}
    refused: what: no such argument
    refused: The workspace "docs" has no boards yet. create_board makes one.
    refused: board: is required
    refused: limit reached: this connection may make 3 calls a minute; try again in 55 s
    {"code":-32602,"message":"Unknown tool: drop_board"}
    "#);
}

// pre:C15b
#[tokio::test]
async fn each_connection_has_an_allowance_of_its_own_and_a_new_one_counts_at_once() {
    let world = World::new(START, "calls_per_minute = 5").await;
    let cursor = world.ada.connect(Client::cursor()).await;
    assert_eq!(world.calls([0; 8]).await, 5);
    assert!(is_answered(&look(&cursor).await));

    world.acme.limit("calls_per_minute = 7").await;
    assert_eq!(world.calls([1; 4]).await, 2);
    world.acme.limit("calls_per_minute = 1").await;
    assert_eq!(world.calls([0, 1]).await, 0);
    assert!(!is_answered(&look(&cursor).await));
}
