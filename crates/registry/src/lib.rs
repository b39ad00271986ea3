//! What a module is made of: queries and commands, which become tools. It knows where a tool's
//! data lives, and nothing of HTTP, MCP or who asked by which way.
//!
//! A query or command is one type in one file; a module is a list of them.

mod answer;
mod context;
mod error;
mod module;
mod operation;
mod schema;

pub use answer::Answer;
pub use context::{Context, Workspace};
pub use error::{Error, Refusal};
pub use module::{Module, Tool};
pub use operation::{Command, Query};
