//! Every SQL statement of the product: one file a table, one function a statement. Nothing here
//! knows HTTP.

pub mod access_token;
pub mod account;
pub mod admit;
pub mod authorization_code;
pub mod authorization_request;
pub mod board;
pub mod board_column;
pub mod call;
pub mod call_lease;
pub mod card;
pub mod client;
pub mod connection;
mod error;
pub mod host;
pub mod membership;
pub mod password;
pub mod person;
mod pool;
pub mod refresh_token;
pub mod security_event;
pub mod session;
mod taking;
pub mod tenant;
pub mod workspace;
pub mod write_budget;

pub use error::{Error, Result};
pub use pool::{
    Conn, Heart, Pool, Reach, Tx, acquire, begin, begin_read, commit, connect, migrate,
};
pub use taking::Taking;
