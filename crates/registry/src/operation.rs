//! The two kinds of thing that a module offers.

use std::future::Future;

use portico_model::{Hints, Scope};
use portico_storage::Tx;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Answer, Context, Error};

/// Reads: its transaction lets it do nothing else.
pub trait Query: 'static {
    /// As clients call it.
    const NAME: &'static str;
    const TITLE: &'static str;
    /// For the model: what it does, and when to use it.
    const DESCRIPTION: &'static str;

    /// Their schema is what clients are shown and what a call is checked against before it runs.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    fn run(
        tx: &mut Tx,
        context: &Context,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Answer, Error>> + Send;
}

/// Changes something. What it did is undone where it ends without an answer.
pub trait Command: 'static {
    /// As clients call it.
    const NAME: &'static str;
    const TITLE: &'static str;
    /// For the model: what it does, and when to use it.
    const DESCRIPTION: &'static str;
    /// What a connection and a role must allow: write, or delete.
    const SCOPE: Scope = Scope::Write;
    const HINTS: Hints;

    /// Their schema is what clients are shown and what a call is checked against before it runs.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    fn run(
        tx: &mut Tx,
        context: &Context,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Answer, Error>> + Send;
}
