//! What tests are written with: a database of their own, a gateway without sockets, and actors
//! who hold their credentials, so that nobody can call as someone whom the test did not make.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
#![expect(clippy::missing_panics_doc, reason = "a test that cannot go on panics")]

mod browser;
pub mod client;
mod connection;
mod database;
mod gateway;
pub mod household;
pub mod node;
mod person;
pub mod plan;
mod portico;
mod postgres;
pub mod random;
pub mod setting;
mod tenant;
mod wire;

pub use browser::{Browser, Page};
pub use client::Client;
pub use connection::{Called, Connection, without_ids};
pub use database::Database;
pub use gateway::{Answer, Gateway, ORIGIN, form};
pub use person::{Newcomer, Person};
pub use portico::{Portico, Scratch};
pub use postgres::{Frozen, Postgres};
pub use tenant::{SERVER, Tenant};
pub use wire::Wire;
