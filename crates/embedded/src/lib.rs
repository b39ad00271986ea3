//! A private Postgres for development and tests: starts one that is installed, shares it between processes, stops it.
//! Knows no SQL and reads no environment: the caller passes in what `PG_BIN` and `PATH` say.

mod error;
mod find;
mod launch;
mod lock_file;
mod options;
mod owner;
mod place;
mod server;

pub use error::Error;
pub use find::installed;
pub use options::{Durability, Options};
pub use owner::is_root;
pub use place::home;
pub use server::{Server, Watch, start};

/// The database that every cluster has from its first start.
pub const DATABASE: &str = "portico";

/// The oldest major version that the migrations run on.
const OLDEST: u32 = 15;

/// The role that every cluster has.
const USER: &str = "postgres";
