//! What people see, as functions of plain structs: HTML and one stylesheet, without a script.
//! Knows nothing of storage, HTTP or who is signed in; it is told.

mod accent;
mod address;
mod app;
mod connections;
mod consent;
mod frame;
pub mod header;
pub mod path;
mod problem;
mod sign_in;
pub mod stylesheet;
mod when;

pub use accent::Accent;
pub use address::{Address, Server};
pub use app::AppName;
pub use connections::{App, Connection, Connections, Ended, Ends, WorksIn};
pub use consent::{Access, Account, Consent, Declined, Outsider, Reach, Slip, Stays, Workspace};
pub use frame::{Frame, render};
pub use problem::Problem;
pub use sign_in::{Mistake, SignIn};
pub use when::When;

#[cfg(test)]
mod tests;
