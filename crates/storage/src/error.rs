//! The one error of this crate. Callers pass it on, or ask which constraint refused a row.

use std::error::Error as _;

/// A statement that did not come back. It is opaque: what a caller may treat differently has a
/// question below.
#[derive(Debug, thiserror::Error)]
#[error("the database did not answer as expected")]
pub struct Error(#[from] sqlx::Error);

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the named constraint refused the row.
    pub fn violates(&self, constraint: &str) -> bool {
        self.0.as_database_error().and_then(sqlx::error::DatabaseError::constraint)
            == Some(constraint)
    }

    /// Whether the database could not be reached or is going away, as opposed to a statement that
    /// is wrong. A caller answers that it should be asked again later.
    ///
    /// By class (Postgres, appendix A): 08 connection, 53 resources, 57 operator intervention, which
    /// includes a shutdown and a statement that took too long. By code: 25006 a replica that took
    /// over, 25P03 and 55P03 a transaction or a lock that took too long, 40001 and 40P01 a loser of
    /// two that collided.
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever sqlx adds is not an outage")]
    pub fn is_outage(&self) -> bool {
        match &self.0 {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => true,
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                let class = ["08", "53", "57"].iter().any(|class| code.starts_with(class));
                class || ["25006", "25P03", "40001", "40P01", "55P03"].contains(&&*code)
            }),
            _ => false,
        }
    }

    /// Whether the database was away before it was asked, and whoever watches it has said so.
    pub fn is_known(&self) -> bool {
        matches!(&self.0, sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::NotConnected)
    }

    /// Whether the connection was found dead, so that a read may be asked once more on another.
    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever sqlx adds is told by its cause")]
    pub(crate) fn is_dead_connection(&self) -> bool {
        match &self.0 {
            sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
            sqlx::Error::Database(error) => {
                error.code().is_some_and(|code| matches!(&*code, "57P01" | "57P02" | "57P03"))
            }
            _ => self.0.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self(error.into())
    }
}
