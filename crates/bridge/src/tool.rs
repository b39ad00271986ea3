//! A tool of a server: what clients are shown, what a call must hold to, and where it runs.

use jsonschema::Validator;
use portico_mcp as mcp;
use portico_model::{Hints, Scope};
use serde_json::{Map, Value};

use crate::OfferError;
use crate::injection;
use crate::redaction::Redaction;
use crate::source::Source;

#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) shown: mcp::Tool,
    pub(crate) scope: Scope,
    pub(crate) source: Source,
    pub(crate) redaction: Redaction,
    pub(crate) validator: Validator,
}

/// What a source says of a tool of its own.
pub(crate) struct Description<'d> {
    pub(crate) name: &'d str,
    pub(crate) title: &'d str,
    pub(crate) text: &'d str,
    pub(crate) scope: Scope,
    pub(crate) hints: Hints,
    /// Of its own arguments, without what we add.
    pub(crate) schema: Map<String, Value>,
}

impl Tool {
    /// The tool as a server offers it.
    pub(crate) fn compile(tool: Description<'_>, source: Source) -> Result<Self, OfferError> {
        let Description { name, title, text, scope, hints, schema } = tool;
        let input_schema = if source.needs_workspace() {
            injection::inject(&schema).map_err(|_| OfferError::TakenProperty(name.to_owned()))?
        } else {
            schema.clone()
        };
        let schema = Value::Object(schema);
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| {
            OfferError::BadSchema { tool: name.to_owned(), source: Box::new(error) }
        })?;
        let shown = mcp::Tool {
            name: name.to_owned(),
            title: Some(title.to_owned()),
            description: text.to_owned(),
            input_schema: Value::Object(input_schema),
            annotations: mcp::Annotations {
                read_only_hint: hints.read_only,
                destructive_hint: hints.destructive,
                idempotent_hint: hints.idempotent,
                open_world_hint: hints.open_world,
            },
        };
        Ok(Self { shown, scope, source, redaction: Redaction::of(schema), validator })
    }
}
