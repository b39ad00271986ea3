//! Starting tasks. This is the one place that does, so that it is known what runs.

use tokio::task::JoinHandle;

/// Runs beside its caller, and goes on if the caller goes away.
#[expect(clippy::disallowed_methods, reason = "the one place that starts tasks")]
pub(crate) fn start<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    tokio::spawn(task)
}
