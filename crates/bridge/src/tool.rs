//! A tool of a server: what clients are shown, what a call must hold to, and where it runs.

use jsonschema::Validator;
use portico_declaration::Hints;
use portico_mcp as mcp;
use portico_model::Scope;
use portico_registry as registry;
use serde_json::{Map, Value, json};

use crate::injection::{self, Taken};
use crate::roster;

/// Where a tool's answer comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// Compiled in; it works in one workspace.
    Registry(registry::Tool),
    /// The caller's own workspaces.
    Roster,
}

#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) shown: mcp::Tool,
    pub(crate) scope: Scope,
    pub(crate) source: Source,
    /// The tool's own arguments, without what we add.
    pub(crate) schema: Value,
    pub(crate) validator: Validator,
}

#[derive(Debug)]
pub(crate) enum Fault {
    Taken,
    Schema(Box<jsonschema::ValidationError<'static>>),
}

impl From<Taken> for Fault {
    fn from(_: Taken) -> Self {
        Self::Taken
    }
}

impl Tool {
    pub(crate) fn registry(tool: &registry::Tool, declared: Hints) -> Result<Self, Fault> {
        let shown = mcp::Tool {
            name: tool.name.to_owned(),
            title: Some(tool.title.to_owned()),
            description: tool.description.to_owned(),
            input_schema: Value::Object(injection::inject(&tool.schema)?),
            annotations: annotations(declared, tool.hints),
        };
        Self::new(shown, tool.scope, Source::Registry(tool.clone()), tool.schema.clone())
    }

    pub(crate) fn roster() -> Result<Self, Fault> {
        let Value::Object(schema) =
            json!({"type": "object", "properties": {}, "additionalProperties": false})
        else {
            unreachable!("the literal is an object");
        };
        let shown = mcp::Tool {
            name: roster::NAME.to_owned(),
            title: Some(roster::TITLE.to_owned()),
            description: roster::DESCRIPTION.to_owned(),
            input_schema: Value::Object(schema.clone()),
            annotations: mcp::Annotations {
                read_only_hint: Some(true),
                open_world_hint: Some(false),
                ..mcp::Annotations::default()
            },
        };
        Self::new(shown, Scope::Read, Source::Roster, schema)
    }

    fn new(
        shown: mcp::Tool,
        scope: Scope,
        source: Source,
        schema: Map<String, Value>,
    ) -> Result<Self, Fault> {
        let schema = Value::Object(schema);
        let validator = jsonschema::draft202012::new(&schema)
            .map_err(|error| Fault::Schema(Box::new(error)))?;
        Ok(Self { shown, scope, source, schema, validator })
    }

    /// Whether calls of it are about one workspace.
    pub(crate) const fn needs_workspace(&self) -> bool {
        match &self.source {
            Source::Registry(_) => true,
            Source::Roster => false,
        }
    }
}

/// What the declaration says, else what the tool says of itself.
fn annotations(declared: Hints, own: registry::Hints) -> mcp::Annotations {
    mcp::Annotations {
        title: None,
        read_only_hint: declared.read_only.or(own.read_only),
        destructive_hint: declared.destructive.or(own.destructive),
        idempotent_hint: declared.idempotent.or(own.idempotent),
        open_world_hint: declared.open_world.or(own.open_world),
    }
}
