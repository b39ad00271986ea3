//! What a tenant declares: one TOML document, read, checked against what the modules offer, and
//! compiled into plain values. It knows no storage, no network and no module.
//!
//! `parse` reads the text, `compile` resolves the names in it. Both answer with every problem that
//! they find, each with its line and column.

mod catalogue;
mod compile;
mod compiled;
mod document;
mod duration;
mod field;
mod limits;
mod nearest;
mod oauth;
mod problem;
mod section;
mod server;
mod text;

pub use catalogue::{Catalogue, Module, Tool};
pub use compile::compile;
pub use compiled::{
    Brand, Declaration, Lifetime, Limits, Offered, OverLimit, Redirects, ScopeTitle, Server,
};
pub use document::{Document, parse};
pub use problem::{Problem, Problems};
