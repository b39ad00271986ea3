//! The process: routes, extractors, errors, the command line. It puts the other crates together
//! and holds no rule of its own.

pub mod app;
pub mod cli;
pub mod connections;
mod cors;
mod demo;
pub mod dev;
mod dialect;
pub mod edge;
mod error;
mod heartbeat;
pub mod hosts;
pub mod listen;
mod locate;
pub mod log;
mod mcp;
mod media;
mod oauth;
mod pages;
mod private;
pub mod router;
pub mod serve;
pub mod sweep;
mod task;
pub mod tenant;
pub mod tenants;
mod well_known;
