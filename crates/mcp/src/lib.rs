//! The words of the Model Context Protocol, per revision: reading a message, refusing one, writing an answer.
//! Pure functions over bytes and headers. Knows no tenants, no persons, no web framework, and does no I/O.

mod body;
pub mod budget;
mod error;
mod header;
mod id;
mod incoming;
mod json;
mod message;
mod result;
mod tool;
mod version;

pub use error::{Code, Rejection};
pub use id::Id;
pub use incoming::{Incoming, read};
pub use message::{CallTool, Message, Method, Request};
pub use result::{Answer, ServerInfo, ToolResult};
pub use tool::{Annotations, Tool, ToolList, is_tool_name};
pub use version::Revision;
