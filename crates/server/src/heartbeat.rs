//! Asks the database all the time whether it is there, so that nobody has to wait to find out that
//! it is not: neither when it refuses nor when it is silent.

use std::time::Duration;

use portico_storage::{Heart, Pool, Reach};
use tokio::time::{sleep, timeout};

const PAUSE: Duration = Duration::from_millis(500);

/// Two beats in a row must fail, and a silent database is away after two seconds at the latest,
/// half a second before callers may expect an answer.
const PATIENCE: Duration = Duration::from_millis(700);

/// Until it is told to stop.
pub(crate) async fn run(pool: Pool, stop: impl Future<Output = ()>) {
    tokio::select! {
        never = beat(pool) => never,
        () = stop => {}
    }
}

async fn beat(pool: Pool) -> ! {
    let mut heart = Heart::of(&pool);
    let mut reach = Reach::There;
    loop {
        sleep(PAUSE).await;
        // The first may have failed with its connection alone; the second has another.
        let there = beats(&mut heart).await || beats(&mut heart).await;
        let now = if there { Reach::There } else { Reach::Away };
        if now != reach {
            reach = now;
            match reach {
                Reach::Away => tracing::error!("the database does not answer"),
                Reach::There => tracing::info!("the database answers again"),
            }
        }
        pool.declare(reach);
    }
}

async fn beats(heart: &mut Heart) -> bool {
    match timeout(PATIENCE, heart.beat()).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::debug!(error = &error as &dyn std::error::Error, "a heartbeat failed");
            false
        }
        Err(_) => {
            tracing::debug!("a heartbeat was not answered");
            false
        }
    }
}
