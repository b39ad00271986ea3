//! The process: routes, extractors, errors, the command line. It puts the other crates together
//! and holds no rule of its own.

pub mod app;
pub mod cli;
mod cors;
mod demo;
pub mod dev;
mod dialect;
mod error;
mod locate;
mod mcp;
mod media;
mod oauth;
mod pages;
pub mod router;
pub mod serve;
mod task;
pub mod tenant;
mod well_known;
