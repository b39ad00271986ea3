//! The process: routes, extractors, errors, the command line. It puts the other crates together
//! and holds no rule of its own.

pub mod app;
pub mod cli;
mod cors;
mod demo;
pub mod dev;
pub mod dialect;
pub mod error;
pub mod locate;
pub mod mcp;
pub mod oauth;
pub mod pages;
pub mod router;
pub mod serve;
pub mod tenant;
pub mod well_known;
