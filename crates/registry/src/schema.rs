//! The schema of a tool's arguments, made from their type, in the form that every client reads:
//! an object, whole in itself, closed, and with no `null` among its types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub(crate) fn of<A: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    let mut schema = std::mem::take(schema.ensure_object());
    tidy_object(&mut schema);
    schema.insert("type".to_owned(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// Removes what only our own types know: their names, and the `null` of what is optional, which
/// clients leave out instead.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => tidy_object(members),
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn tidy_object(members: &mut Map<String, Value>) {
    // A property may have that name too, and is no text then.
    if members.get("title").is_some_and(Value::is_string) {
        members.remove("title");
    }
    if members.get("default") == Some(&Value::Null) {
        members.remove("default");
    }
    drop_null(members);
    members.values_mut().for_each(tidy);
}

fn drop_null(members: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|word| word != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            members.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = members.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            members.remove("anyOf");
            for (name, value) in only {
                // What is said of the member goes before what is said of its type.
                members.entry(name).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Arguments {
        /// What it is called.
        #[schemars(length(min = 1, max = 200))]
        title: String,
        note: Option<String>,
        /// How urgent it is.
        #[serde(default)]
        level: Option<Level>,
        place: Option<Place>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[serde(rename_all = "snake_case")]
    enum Level {
        Low,
        High,
    }

    /// Somewhere.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Place {
        column: String,
    }

    #[derive(JsonSchema)]
    struct Nothing {}

    // mcp:T6
    #[test]
    fn a_schema_is_a_closed_object_without_nulls() {
        insta::assert_json_snapshot!(of::<Arguments>());
        assert_eq!(
            Value::Object(of::<Nothing>()),
            json!({"type": "object", "properties": {}, "additionalProperties": false})
        );
    }
}
