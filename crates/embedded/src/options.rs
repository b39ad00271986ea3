//! What the caller decides about its cluster. Read from no environment.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct Options {
    /// Holds the cluster, its log and its socket. As root it must be reachable by the account
    /// that the server runs as: a directory below [`home`](crate::home) is.
    pub data_dir: PathBuf,
    /// `PG_BIN`: the only place to look in, if given.
    pub binaries: Option<PathBuf>,
    /// `PATH`: looked through before the places where packages put Postgres.
    pub path: Option<OsString>,
    /// Whether a power cut may lose what was acknowledged.
    pub durability: Durability,
    /// Loads `pg_stat_statements`, where the installation has it.
    pub statistics: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Every commit reaches the disk.
    Durable,
    /// For data that nobody will miss.
    Throwaway,
}
