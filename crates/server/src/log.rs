//! The log: lines on standard error, written by a thread of their own. Where nobody reads them they
//! are dropped and counted, and no request waits.

use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

use tokio::time::interval;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Some hundred kilobytes, for a reader that stops for a moment.
const MOST_LINES: usize = 2 * 1024;

const COUNT_EVERY: Duration = Duration::from_secs(10);

/// Kept as long as there is something to log. Dropped, it writes what is left, or gives up after a
/// second.
#[derive(Debug)]
pub struct Log {
    _writer: WorkerGuard,
    dropped: ErrorCounter,
}

/// Begins to log what the filter lets through.
pub fn begin(filter: &str) -> Result<Log, ParseError> {
    let filter = EnvFilter::try_new(filter)?;
    let (lines, writer) = NonBlockingBuilder::default()
        .buffered_lines_limit(MOST_LINES)
        .lossy(true)
        .thread_name("log")
        .finish(stderr());
    let dropped = lines.error_counter();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(stderr().is_terminal())
        .with_writer(lines)
        .init();
    // By the same way, for whoever writes past it waits for whoever reads.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "a panic, which costs its request");
    }));
    Ok(Log { _writer: writer, dropped })
}

impl Log {
    /// Says how many lines were lost, when some were. Never ends.
    pub async fn tell_losses(&self) -> ! {
        let mut often = interval(COUNT_EVERY);
        let mut told = 0;
        loop {
            often.tick().await;
            let dropped = self.dropped.dropped_lines();
            if dropped != told {
                told = dropped;
                tracing::warn!(dropped, "lines of this log were lost, since nobody read it");
            }
        }
    }
}
