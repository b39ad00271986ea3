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
pub mod card;
pub mod client;
pub mod connection;
mod error;
pub mod membership;
pub mod password;
pub mod person;
mod pool;
pub mod session;
pub mod tenant;
pub mod workspace;

pub use error::{Error, Result};
pub use pool::{Conn, Pool, Tx, acquire, begin, begin_read, commit, connect, migrate};
