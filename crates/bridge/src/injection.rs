//! The property `workspace`, which every tool that works in one is given, and which is taken out
//! again before the tool sees its arguments.

use serde_json::{Map, Value, json};

pub(crate) const PROPERTY: &str = "workspace";

/// The same for every caller: clients keep lists, and a list that varied would give away who is a
/// member of what.
const DESCRIPTION: &str = "The workspace to work in: its name, its alias (a domain, for example) \
    or its id. Leave it out if you have only one. list_workspaces lists yours.";

/// The schema has the property already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken;

/// The schema that clients are shown.
pub(crate) fn inject(schema: &Map<String, Value>) -> Result<Map<String, Value>, Taken> {
    let mut shown = schema.clone();
    let properties = shown.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else {
        return Err(Taken);
    };
    if properties.contains_key(PROPERTY) {
        return Err(Taken);
    }
    properties.insert(PROPERTY.to_owned(), json!({"type": "string", "description": DESCRIPTION}));
    Ok(shown)
}

/// What stood in the property; the rest is the tool's.
pub(crate) fn take(arguments: &mut Map<String, Value>) -> Option<Value> {
    arguments.remove(PROPERTY)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // sec:K06
    #[test]
    fn a_tool_that_has_the_property_itself_is_refused() {
        for (schema, refused) in [
            (json!({"type": "object"}), false),
            (json!({"type": "object", "properties": {"workspaces": {}}}), false),
            (json!({"type": "object", "properties": {"workspace": {}}}), true),
            (json!({"type": "object", "properties": 1}), true),
        ] {
            let Value::Object(schema) = schema else { unreachable!("a literal object") };
            assert_eq!(inject(&schema).is_err(), refused, "{schema:?}");
        }
    }

    // mcp:T6, cli:85
    #[test]
    fn the_rest_of_a_schema_stays_as_it_is() {
        let schema = json!({
            "type": "object",
            "$defs": {"a": {"type": "string"}},
            "properties": {"title": {"$ref": "#/$defs/a"}},
            "required": ["title"],
            "additionalProperties": false,
            "allOf": [{"if": {}, "then": {}}],
        });
        let Value::Object(schema) = schema else { unreachable!("a literal object") };
        let mut shown = inject(&schema).unwrap();
        let injected = shown["properties"].as_object_mut().unwrap().remove(PROPERTY);
        assert_eq!(shown, schema);
        assert_eq!(injected.unwrap()["type"], "string");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z_]{1,8}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        // sec:K07
        #[test]
        fn what_a_caller_adds_for_us_never_reaches_the_tool(
            members in prop::collection::btree_map("[a-z_]{1,8}", value(), 0..6),
            named in ".*",
        ) {
            let mut own: Map<String, Value> = members.into_iter().collect();
            own.remove(PROPERTY);
            let mut sent = own.clone();
            sent.insert(PROPERTY.to_owned(), json!(named));
            prop_assert_eq!(take(&mut sent), Some(json!(named)));
            prop_assert_eq!(&sent, &own);
            prop_assert_eq!(take(&mut sent), None);
        }
    }
}
