//! How many connections the operating system lets this process have. Refuses to know what they are
//! used for.

use rustix::process::{Resource, getrlimit, setrlimit};

/// For everything that is no client's connection: the log, timers, the runtime, the private
/// listener, and files that are open for a moment.
const OTHERS: u64 = 64;

/// Fewer than this is no service.
const FEWEST: usize = 16;

/// Raises the limit of this process as far as it may itself, and answers how many clients it then
/// has room for beside so many connections to the database.
pub(crate) fn make_room(most: usize, database: u32) -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let raised = rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => limit = getrlimit(Resource::Nofile),
            Err(error) => tracing::warn!(%error, "the limit of open files stays as it is"),
        }
    }
    room(limit.current, most, database)
}

fn room(limit: Option<u64>, most: usize, database: u32) -> usize {
    let Some(limit) = limit else { return most };
    let left = limit.saturating_sub(OTHERS + u64::from(database));
    usize::try_from(left).unwrap_or(most).min(most).max(FEWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    // sec:N03, sec:R15
    #[test]
    fn there_is_room_for_as_many_clients_as_the_limit_leaves() {
        for (limit, expected) in [
            (None, 10_000),
            (Some(1_000_000), 10_000),
            (Some(1_024), 952),
            (Some(256), 184),
            (Some(64), 16),
        ] {
            assert_eq!(room(limit, 10_000, 8), expected, "{limit:?}");
        }
    }
}
