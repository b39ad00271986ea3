use std::convert::Infallible;
use std::sync::atomic::AtomicU32;

use futures_util::future::join_all;
use time::Duration;
use time::macros::datetime;
use uuid::Uuid;

use super::*;

const MINUTE: OffsetDateTime = datetime!(2026-12-01 09:30 UTC);
const MIDDLE: OffsetDateTime = datetime!(2026-12-01 09:30:20.5 UTC);
const NEXT: OffsetDateTime = datetime!(2026-12-01 09:31 UTC);

fn key(number: u128) -> Key {
    (TenantId::from_uuid(Uuid::nil()), ConnectionId::from_uuid(Uuid::from_u128(number)))
}

fn lease(minute: OffsetDateTime, calls: u32) -> Lease {
    Lease { minute, calls }
}

/// One process, and how often it asked the database.
#[derive(Default)]
struct Instance {
    leases: Leases,
    asked: AtomicU32,
}

impl Instance {
    /// A call of a minute of sixty; `offered` is what the database would lease.
    async fn call(&self, now: OffsetDateTime, offered: Option<Lease>) -> Rate {
        self.call_of(60, now, offered).await
    }

    async fn call_of(&self, allowance: u32, now: OffsetDateTime, offered: Option<Lease>) -> Rate {
        let ask = async {
            self.asked.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(offered)
        };
        self.leases.take(key(1), allowance, now, ask).await.unwrap()
    }

    fn asked(&self) -> u32 {
        self.asked.swap(0, Ordering::SeqCst)
    }

    fn size(&self) -> usize {
        self.leases.0.0.lock().unwrap().holdings.len()
    }
}

// pre:A7
#[tokio::test]
async fn a_slice_is_spent_before_another_is_asked_for() {
    let instance = Instance::default();
    for _ in 0..3 {
        assert_eq!(instance.call(MIDDLE, Some(lease(MINUTE, 3))).await, Rate::Within(MIDDLE));
    }
    assert_eq!(instance.asked(), 1);
    assert_eq!(instance.call(MIDDLE, Some(lease(MINUTE, 1))).await, Rate::Within(MIDDLE));
    assert_eq!(instance.asked(), 1);
}

// sec:P02
#[tokio::test]
async fn a_slice_is_good_for_its_minute_alone() {
    let instance = Instance::default();
    instance.call(MIDDLE, Some(lease(MINUTE, 3))).await;
    instance.asked();
    assert_eq!(instance.call(NEXT, Some(lease(NEXT, 3))).await, Rate::Within(NEXT));
    assert_eq!(instance.asked(), 1);
    // A clock that was put back by more than the length of a call.
    let earlier = MIDDLE - Duration::MINUTE;
    assert_eq!(instance.call(earlier, None).await, Rate::Over { wait: 40 });
    assert_eq!(instance.asked(), 1);
}

#[tokio::test]
async fn who_comes_late_is_counted_in_the_minute_that_the_slice_is_of() {
    let instance = Instance::default();
    assert_eq!(instance.call(MIDDLE, Some(lease(NEXT, 2))).await, Rate::Within(NEXT));
    assert_eq!(instance.call(MIDDLE, None).await, Rate::Within(NEXT));
    assert_eq!(instance.asked(), 1);
}

// cli:75
#[tokio::test]
async fn who_is_above_the_allowance_waits_for_the_next_minute_and_asks_nobody() {
    let instance = Instance::default();
    for (passed, wait) in [(0, 60), (1_000, 59), (1_999, 59), (59_000, 1), (59_999, 1)] {
        let now = MINUTE + Duration::milliseconds(passed);
        assert_eq!(instance.call(now, None).await, Rate::Over { wait }, "{passed}");
    }
    assert_eq!(instance.asked(), 1);
    assert_eq!(instance.call(NEXT, Some(lease(NEXT, 1))).await, Rate::Within(NEXT));
}

#[tokio::test]
async fn another_declaration_counts_from_the_next_call_on() {
    let instance = Instance::default();
    instance.call_of(60, MIDDLE, Some(lease(MINUTE, 3))).await;
    assert_eq!(instance.call_of(1, MIDDLE, None).await, Rate::Over { wait: 40 });
    let raised = instance.call_of(90, MIDDLE, Some(lease(MINUTE, 3))).await;
    assert_eq!(raised, Rate::Within(MIDDLE));
    assert_eq!(instance.asked(), 3);
}

#[tokio::test]
async fn sixteen_at_once_ask_one_after_the_other_and_only_for_what_they_need() {
    let instance = Instance::default();
    let asking = AtomicU32::new(0);
    let calls = (0..16).map(|_| {
        instance.leases.take(key(1), 60, MIDDLE, async {
            assert_eq!(asking.fetch_add(1, Ordering::SeqCst), 0);
            tokio::task::yield_now().await;
            asking.fetch_sub(1, Ordering::SeqCst);
            instance.asked.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(Some(lease(MINUTE, 8)))
        })
    });
    let rates = join_all(calls).await;
    assert!(rates.iter().all(|rate| *rate == Ok(Rate::Within(MIDDLE))), "{rates:?}");
    assert_eq!(instance.asked(), 2);
}

#[tokio::test]
async fn who_waits_for_an_answer_that_does_not_come_does_not_wait_for_another() {
    let instance = Instance::default();
    let calls = (0..16).map(|_| {
        instance.leases.take(key(1), 60, MIDDLE, async {
            instance.asked.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            Err("away")
        })
    });
    let rates = join_all(calls).await;
    assert_eq!(rates[0], Err(Trouble::Asking("away")));
    assert!(rates[1..].iter().all(|rate| *rate == Err(Trouble::Shared)), "{rates:?}");
    assert_eq!(instance.asked(), 1);
    assert_eq!(instance.call(MIDDLE, Some(lease(MINUTE, 1))).await, Rate::Within(MIDDLE));
}

#[tokio::test]
async fn what_is_kept_is_of_this_minute_and_never_more_than_so_much() {
    let instance = Instance::default();
    for number in 0..=MOST as u128 {
        let ask = async { Ok::<_, Infallible>(Some(lease(MINUTE, 3))) };
        instance.leases.take(key(number), 60, MIDDLE, ask).await.unwrap();
        assert!(instance.size() <= MOST, "{number}");
    }
    instance.leases.take(key(2), 60, MIDDLE, async { Ok::<_, Infallible>(None) }).await.unwrap();
    assert_eq!(instance.size(), 2);
    instance.call(NEXT, Some(lease(NEXT, 3))).await;
    assert_eq!(instance.size(), 1);
}
