//! The promises of the product, one file each, and the tests of the house itself. One binary, so
//! that it is linked once.
#![cfg(test)]

mod account;
mod admit;
mod apply;
mod architecture;
mod call;
mod clients;
mod closed_tables;
mod connect;
mod consent;
mod documents;
mod edge;
mod faults;
mod import;
mod isolation;
mod limits;
mod mcp;
mod narrow;
mod nulls;
mod oauth;
mod pages;
mod races;
mod recorded;
mod revoke;
mod secrets;
mod sources;
mod startup;
mod statements;
mod sweep;
mod tidy;
mod vanity;
