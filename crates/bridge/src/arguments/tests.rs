use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 5},
            "columns": {"type": "array", "maxItems": 2, "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            }},
            "limit": {"type": ["integer", "string"], "minimum": 1, "maximum": 50},
            "level": {"enum": ["low", "high"]},
            "code": {"type": "string", "pattern": "^[a-z]+$"},
            "one": {"anyOf": [{"const": 1}, {"const": "one"}]},
        },
        "required": ["title"],
        "additionalProperties": false,
    })
}

// pre:C10, mcp:T2, cli:76, cli:91
#[test]
fn what_is_wrong_is_named_with_its_field() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let fault = |arguments: Value| {
        check(&validator, &arguments).err().map_or_else(String::new, |it| it.to_string())
    };
    for (arguments, expected) in [
        (json!({"title": "a"}), ""),
        (json!({"title": "ééééé", "limit": 50, "one": "one"}), ""),
        (json!({}), "title: is required"),
        (json!({"title": ""}), "title: must not be empty"),
        (json!({"title": "abcdef"}), "title: must have at most 5 characters"),
        (json!({"title": null}), "title: must be of type string"),
        (json!({"title": "a", "level": "mid"}), r#"level: must be one of ["low","high"]"#),
        (json!({"title": "a", "limit": 0}), "limit: must be at least 1"),
        (json!({"title": "a", "limit": 51}), "limit: must be at most 50"),
        (json!({"title": "a", "limit": true}), "limit: must be of type integer or string"),
        (json!({"title": "a", "code": "A"}), "code: must match the pattern ^[a-z]+$"),
        (json!({"title": "a", "one": 2}), "one: is none of the forms that the schema allows"),
        (json!({"title": "a", "columns": {}}), "columns: must be of type array"),
        (
            json!({"title": "a", "columns": [1, 2, 3]}),
            "columns: must have at most 2 items; columns[0]: must be of type object; columns[1]: must be of type object; columns[2]: must be of type object",
        ),
        (json!({"title": "a", "columns": [{"name": "x"}, {}]}), "columns[1].name: is required"),
        (json!({"title": "a", "colour": 1, "size": 2}), "colour, size: no such argument"),
        (json!({"colour": 1}), "colour: no such argument; title: is required"),
        (json!([]), "arguments: must be of type object"),
    ] {
        assert_eq!(fault(arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn a_long_list_of_faults_is_cut() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let columns = vec![json!(1); 1_000];
    let fault =
        check(&validator, &json!({"title": "a", "columns": columns})).unwrap_err().to_string();
    assert_eq!(fault.split("; ").count(), MOST_FAULTS);
}

// A model reads what a caller chose, so it stays one short line.
#[test]
fn unknown_names_are_few_short_and_visible() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let fault = |unknown: Value| {
        let mut arguments = unknown;
        arguments["title"] = json!("a");
        check(&validator, &arguments).unwrap_err().to_string()
    };
    let long = "x".repeat(1_000);
    let shown = fault(json!({"a\nb\u{7}": 1, "d\u{2028}e": 1, long: 1, "\u{202e}c": 1}));
    insta::assert_snapshot!(shown, @r#"a\nb\u{7}, d\u{2028}e, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, \u{202e}c: no such argument"#);
    let many: Map<String, Value> = (100..1_000).map(|it| (format!("n{it}"), json!(1))).collect();
    insta::assert_snapshot!(fault(Value::Object(many)), @"n100, n101, n102, n103, n104, n105, n106, n107, n108, n109, and 890 more: no such argument");
}

// sec:J10
#[test]
fn arguments_that_are_no_text_of_ours_are_refused() {
    for (text, expected) in [
        (r#"{"a":1}"#, Ok(1)),
        ("{}", Ok(0)),
        (r#"{"a":"\u0000"}"#, Err("arguments: must not contain the character NUL")),
        (r#"{"a":"\ud800"}"#, Err("arguments: unexpected end of hex escape at line 1 column 13")),
        (r#"{"a":1e999}"#, Err("arguments: number out of range at line 1 column 10")),
    ] {
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        let members = read(Some(raw)).map(|members| members.len()).map_err(|it| it.to_string());
        assert_eq!(
            members.as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|it| *it),
            "{text}"
        );
    }
    assert_eq!(read(None), Ok(Map::new()));
}

// sec:J10
#[test]
fn nul_is_found_only_where_it_is_meant() {
    for (text, found) in [
        (r#"{"title":"a\u0000b"}"#, true),
        (r#"{"\u0000":1}"#, true),
        (r#"["\\\u0000"]"#, true),
        (r#"["\\u0000"]"#, false),
        (r#"["\\\\u0000"]"#, false),
        (r#"["\n\t\u0001 u0000"]"#, false),
        ("{}", false),
    ] {
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        assert_eq!(contains_nul(raw), found, "{text}");
    }
}
