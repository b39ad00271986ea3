//! The promises of the product, one file each, and the tests of the house itself. One binary, so
//! that it is linked once.
#![cfg(test)]

mod account;
mod admit;
mod apply;
mod architecture;
mod call;
mod clients;
mod connect;
mod consent;
mod documents;
mod faults;
mod isolation;
mod mcp;
mod nulls;
mod oauth;
mod races;
mod revoke;
mod secrets;
mod sources;
mod startup;
mod statements;
mod tidy;
