//! Tools of different types in one list.

use std::future::Future;
use std::pin::Pin;

use portico_model::{Hints, Scope};
use portico_storage::Tx;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Answer, Command, Context, Error, Query, schema};

/// A tool at work.
type Running<'r> = Pin<Box<dyn Future<Output = Result<Answer, Error>> + Send + 'r>>;

type Run = for<'r> fn(&'r mut Tx, &'r Context, Value) -> Running<'r>;

/// A query or command whose type is forgotten.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub scope: Scope,
    pub hints: Hints,
    /// The schema of its arguments, an object's.
    pub schema: Map<String, Value>,
    run: Run,
}

impl Tool {
    pub fn query<Q: Query>() -> Self {
        Self {
            name: Q::NAME,
            title: Q::TITLE,
            description: Q::DESCRIPTION,
            scope: Scope::Read,
            hints: Hints { read_only: Some(true), open_world: Some(false), ..Hints::default() },
            schema: schema::of::<Q::Arguments>(),
            run: |tx, context, arguments| {
                Box::pin(async move { Q::run(tx, context, read(arguments)?).await })
            },
        }
    }

    pub fn command<C: Command>() -> Self {
        Self {
            name: C::NAME,
            title: C::TITLE,
            description: C::DESCRIPTION,
            scope: C::SCOPE,
            hints: C::HINTS,
            schema: schema::of::<C::Arguments>(),
            run: |tx, context, arguments| {
                Box::pin(async move { C::run(tx, context, read(arguments)?).await })
            },
        }
    }

    /// Runs it with arguments that its schema allows.
    pub fn run<'r>(&self, tx: &'r mut Tx, context: &'r Context, arguments: Value) -> Running<'r> {
        (self.run)(tx, context, arguments)
    }
}

/// A type may ask for more than its schema can say.
fn read<A: DeserializeOwned>(arguments: Value) -> Result<A, Error> {
    serde_json::from_value(arguments).map_err(|error| Error::refused(error.to_string()))
}

/// A set of tools that is compiled in under one name.
#[derive(Clone, Debug)]
pub struct Module {
    pub name: &'static str,
    /// In the order in which lists show them.
    pub tools: Vec<Tool>,
}
