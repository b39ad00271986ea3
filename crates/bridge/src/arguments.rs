//! The arguments of a call against the schema of its tool. What is wrong is named with the field
//! that it is wrong with; the values themselves are not repeated.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::text;

/// More than this at once does not help.
const MOST_FAULTS: usize = 5;

/// Of names that a caller made up.
const MOST_NAMES: usize = 10;

/// What is wrong, for the model to put right.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Invalid(String);

/// The members, or what is wrong with the text. No arguments are an empty object.
pub(crate) fn read(raw: Option<&RawValue>) -> Result<Map<String, Value>, Invalid> {
    let Some(raw) = raw else { return Ok(Map::new()) };
    if contains_nul(raw) {
        return Err(Invalid("arguments: must not contain the character NUL".to_owned()));
    }
    serde_json::from_str(raw.get()).map_err(|error| Invalid(format!("arguments: {error}")))
}

/// Whether the character NUL is written anywhere in it: valid JSON, but not text that Postgres
/// keeps.
fn contains_nul(json: &RawValue) -> bool {
    let mut rest = json.get();
    while let Some((_, escape)) = rest.split_once('\\') {
        if escape.starts_with("u0000") {
            return true;
        }
        rest = escape.strip_prefix('\\').unwrap_or(escape);
    }
    false
}

/// What stands for the workspace must be text.
pub(crate) fn check_workspace(named: Option<&Value>) -> Result<(), Invalid> {
    if named.is_none_or(Value::is_string) {
        return Ok(());
    }
    Err(Invalid("workspace: must be of type string".to_owned()))
}

/// Every field that does not hold, in words.
pub(crate) fn check(validator: &Validator, arguments: &Value) -> Result<(), Invalid> {
    if validator.is_valid(arguments) {
        return Ok(());
    }
    let faults: Vec<String> =
        validator.iter_errors(arguments).take(MOST_FAULTS).map(|error| describe(&error)).collect();
    Err(Invalid(faults.join("; ")))
}

/// The field, and why.
fn describe(error: &ValidationError<'_>) -> String {
    let place = error.instance_path();
    #[expect(clippy::wildcard_enum_match_arm, reason = "`reason` has an arm for each kind")]
    match error.kind() {
        Kind::Required { property } => format!("{}: is required", field(place, property.as_str())),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let named = unexpected.iter().take(MOST_NAMES);
            let mut unknown: Vec<String> = named.map(|name| field(place, Some(name))).collect();
            if unexpected.len() > MOST_NAMES {
                unknown.push(format!("and {} more", unexpected.len() - MOST_NAMES));
            }
            format!("{}: no such argument", unknown.join(", "))
        }
        kind => format!("{}: {}", field(place, None), reason(kind)),
    }
}

/// `columns[2].title`, or `arguments` for the whole.
fn field(place: &Location, member: Option<&str>) -> String {
    let mut path = String::new();
    for segment in place {
        match segment {
            LocationSegment::Property(name) => push(&mut path, &name),
            LocationSegment::Index(index) => {
                path.push('[');
                path.push_str(&index.to_string());
                path.push(']');
            }
        }
    }
    if let Some(name) = member {
        push(&mut path, name);
    }
    if path.is_empty() { "arguments".to_owned() } else { path }
}

fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(&text::short(name));
}

fn reason(kind: &Kind) -> String {
    match kind {
        Kind::Type { kind: TypeKind::Single(kind) } => format!("must be of type {kind}"),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            let kinds: Vec<&str> = kinds.iter().map(JsonType::as_str).collect();
            format!("must be of type {}", kinds.join(" or "))
        }
        Kind::Enum { options } => format!("must be one of {options}"),
        Kind::Constant { expected_value } => format!("must be {expected_value}"),
        Kind::MinLength { limit: 1 } | Kind::MinItems { limit: 1 } => {
            "must not be empty".to_owned()
        }
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::MinProperties { limit } => format!("must have at least {limit} members"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} members"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::UniqueItems => "must not have an item twice".to_owned(),
        Kind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        Kind::Format { format } => format!("must be a valid {format}"),
        Kind::PropertyNames { error } => {
            format!("has a name that is not allowed ({})", reason(error.kind()))
        }
        Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => {
            "has items that are not allowed".to_owned()
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "is none of the forms that the schema allows".to_owned()
        }
        Kind::OneOfMultipleValid { .. } => {
            "is more than one of the forms of which the schema allows one".to_owned()
        }
        Kind::Contains => "lacks an item that the schema asks for".to_owned(),
        Kind::FalseSchema | Kind::Not { .. } => "is not allowed by the schema".to_owned(),
        Kind::AdditionalProperties { .. }
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::ContentEncoding { .. }
        | Kind::ContentMediaType { .. }
        | Kind::Custom { .. }
        | Kind::FromUtf8 { .. }
        | Kind::Referencing(_)
        | Kind::RegexEngineFailure { .. }
        | Kind::Required { .. }
        | Kind::UnevaluatedProperties { .. } => "cannot be checked against the schema".to_owned(),
    }
}

#[cfg(test)]
mod tests;
