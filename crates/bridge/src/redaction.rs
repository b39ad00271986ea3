//! What of a call is kept: no value that its schema calls secret, and no more than a row should
//! hold.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Bytes of arguments, and of an answer, that a row keeps.
const MOST: usize = 16 * 1024;

const SECRET: &str = "[redacted]";

/// What of a tool's arguments is not kept.
#[derive(Debug)]
pub(crate) enum Redaction {
    /// The schema calls nothing secret, so arguments are kept as they were sent.
    Nothing,
    /// What this schema calls secret.
    Secrets(Value),
}

impl Redaction {
    pub(crate) fn of(schema: Value) -> Self {
        if has_secrets(&schema) { Self::Secrets(schema) } else { Self::Nothing }
    }

    /// The arguments as the record keeps them, of the text and what was read in it.
    pub(crate) fn kept(&self, sent: Option<&RawValue>, read: &Map<String, Value>) -> String {
        match (self, sent) {
            (_, None) => "{}".to_owned(),
            (Self::Nothing, Some(sent)) => bounded(sent.get()),
            (Self::Secrets(schema), Some(_)) => {
                let mut kept = Value::Object(read.clone());
                redact(schema, &mut kept);
                bounded(&kept.to_string())
            }
        }
    }
}

/// Looks wherever `redact` does.
fn has_secrets(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    is_secret(schema)
        || properties.is_some_and(|members| members.values().any(has_secrets))
        || schema.get("items").is_some_and(has_secrets)
}

fn redact(schema: &Value, value: &mut Value) {
    if is_secret(schema) {
        *value = SECRET.into();
        return;
    }
    match value {
        Value::Object(members) => {
            let Some(Value::Object(properties)) = schema.get("properties") else { return };
            for (name, member) in members {
                if let Some(schema) = properties.get(name) {
                    redact(schema, member);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    redact(schema, item);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_secret(schema: &Value) -> bool {
    schema.get("writeOnly") == Some(&Value::Bool(true))
        || schema.get("format").is_some_and(|format| format == "password")
}

/// Text of a length that a row keeps, without the one character that a column cannot hold.
pub(crate) fn bounded(text: &str) -> String {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut kept = text[..end].replace('\0', "\u{fffd}");
    if end < text.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // pre:C12
    #[test]
    fn secrets_are_not_kept_wherever_they_stand() {
        let schema = json!({"properties": {
            "title": {"type": "string"},
            "key": {"type": "string", "writeOnly": true},
            "accounts": {"items": {"properties": {"password": {"format": "password"}}}},
            "whole": {"type": "object", "writeOnly": true},
        }});
        for (sent, kept) in [
            (json!({"title": "t", "key": "s3cret"}), json!({"title": "t", "key": SECRET})),
            (json!({"key": ["s3cret"]}), json!({"key": SECRET})),
            (json!({"whole": {"a": 1}}), json!({"whole": SECRET})),
            (
                json!({"accounts": [{"password": "p", "name": "n"}, {"password": 1}]}),
                json!({"accounts": [{"password": SECRET, "name": "n"}, {"password": SECRET}]}),
            ),
            (json!({"other": {"key": "kept"}}), json!({"other": {"key": "kept"}})),
        ] {
            let text = serde_json::value::to_raw_value(&sent).unwrap();
            let arguments =
                Redaction::of(schema.clone()).kept(Some(&text), sent.as_object().unwrap());
            assert_eq!(arguments, kept.to_string(), "{sent}");
        }
    }

    #[test]
    fn arguments_of_a_tool_without_secrets_are_kept_as_they_were_sent() {
        let schema = json!({"properties": {"title": {"type": "string", "writeOnly": false}}});
        let text = r#"{"title": "t",  "b": [1.50]}"#;
        let (sent, read): (&RawValue, Map<_, _>) =
            (serde_json::from_str(text).unwrap(), serde_json::from_str(text).unwrap());
        assert_eq!(Redaction::of(schema.clone()).kept(Some(sent), &read), text);
        assert_eq!(Redaction::of(schema).kept(None, &Map::new()), "{}");
    }

    #[test]
    fn a_row_stays_small_and_can_be_stored() {
        assert_eq!(bounded("a\0b"), "a\u{fffd}b");
        assert_eq!(bounded(&"x".repeat(MOST)), "x".repeat(MOST));
        let cut = bounded(&"é".repeat(MOST));
        assert_eq!(cut, format!("{}…", "é".repeat(MOST / 2)));
    }
}
