//! A tool as clients are shown it, and the list of them, serialized once and sent many times.
//! Refuses to know what a tool does or who may use it.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json;
use crate::version::Revision;

/// A tool's definition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub description: String,
    pub input_schema: Value,
    #[serde(skip_serializing_if = "Annotations::is_empty")]
    pub annotations: Annotations,
}

/// Hints about a tool. An absent one means the protocol's default, which is the cautious one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

impl Annotations {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The tools of a server in their final order, as JSON: once for each form that a revision has.
#[derive(Debug, Clone)]
pub struct ToolList {
    titled: Box<RawValue>,
    untitled: Box<RawValue>,
}

impl ToolList {
    pub fn new(tools: &[Tool]) -> Self {
        let without = |tool: &Tool| Tool { title: None, ..tool.clone() };
        let untitled: Vec<Tool> = tools.iter().map(without).collect();
        Self { titled: json::raw(tools), untitled: json::raw(&untitled) }
    }

    /// The array of tools in the words of a revision.
    pub const fn json(&self, revision: Revision) -> &RawValue {
        if revision.has_titles() { &self.titled } else { &self.untitled }
    }
}

/// Whether every client takes it for a tool's name.
pub fn is_tool_name(name: &str) -> bool {
    let good = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    (1..=128).contains(&name.len()) && name.bytes().all(good)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // mcp:T5
    #[test]
    fn a_tool_name_is_short_and_plain() {
        for (name, good) in [
            ("read_board", true),
            ("a.b-C_9", true),
            (&"x".repeat(128), true),
            (&"x".repeat(129), false),
            ("", false),
            ("orders/list", false),
            ("read board", false),
            ("réad", false),
        ] {
            assert_eq!(is_tool_name(name), good, "{name}");
        }
    }

    // pre:C9, mcp:T4
    #[test]
    fn a_list_says_what_its_revision_knows_and_never_null() {
        let tools = [
            Tool {
                name: "read_board".to_owned(),
                title: Some("Read a board".to_owned()),
                description: "The board's columns and cards.".to_owned(),
                input_schema: json!({"type": "object"}),
                annotations: Annotations { read_only_hint: Some(true), ..Annotations::default() },
            },
            Tool {
                name: "move_card".to_owned(),
                title: None,
                description: "Moves a card.".to_owned(),
                input_schema: json!({"type": "object"}),
                annotations: Annotations::default(),
            },
        ];

        let list = ToolList::new(&tools);

        insta::assert_snapshot!(
            list.json(Revision::V2025_06_18).get(),
            @r#"[{"name":"read_board","title":"Read a board","description":"The board's columns and cards.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"move_card","description":"Moves a card.","inputSchema":{"type":"object"}}]"#
        );
        insta::assert_snapshot!(
            list.json(Revision::V2025_03_26).get(),
            @r#"[{"name":"read_board","description":"The board's columns and cards.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"move_card","description":"Moves a card.","inputSchema":{"type":"object"}}]"#
        );
    }
}
