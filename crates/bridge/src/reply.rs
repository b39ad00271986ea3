//! What a call came to, as far as its caller is told.

use portico_mcp::ToolResult;
use portico_model::{CallId, Outcome};
use portico_storage as storage;
use serde_json::{Map, Value};

use crate::Reason;

#[derive(Debug)]
pub struct Reply {
    /// For the model. A refusal says what to do next.
    pub text: String,
    pub end: End,
    /// Seconds after which the same call may be answered, where that is known.
    pub wait: Option<u32>,
}

#[derive(Debug)]
pub enum End {
    Answered,
    Refused(Reason),
    /// The cause is for the log, under the id of the call, which the text carries.
    Failed(storage::Error),
}

impl Reply {
    pub(crate) fn answered(text: String) -> Self {
        Self { text, end: End::Answered, wait: None }
    }

    pub(crate) fn refused(reason: Reason, text: impl Into<String>) -> Self {
        Self { text: text.into(), end: End::Refused(reason), wait: None }
    }

    /// Refused for so many seconds.
    pub(crate) fn refused_for(wait: u32, reason: Reason, text: impl Into<String>) -> Self {
        Self { wait: Some(wait), ..Self::refused(reason, text) }
    }

    pub(crate) fn failed(call: CallId, cause: storage::Error) -> Self {
        let text = format!(
            "The tool failed, and nothing was changed. Try again; if it fails again, report this \
             reference: {call}"
        );
        Self { text, end: End::Failed(cause), wait: None }
    }

    /// As the record has it.
    pub(crate) const fn outcome(&self) -> (Outcome, Option<Reason>) {
        match &self.end {
            End::Answered => (Outcome::Answered, None),
            End::Refused(reason) => (Outcome::Refused, Some(*reason)),
            End::Failed(_) => (Outcome::Failed, None),
        }
    }

    /// The result in the protocol's form.
    pub fn into_result(self) -> ToolResult {
        match (self.end, self.wait) {
            (End::Answered, _) => ToolResult::text(self.text),
            (End::Refused(reason), Some(wait)) => {
                ToolResult::error(self.text).with_meta(delay(reason, wait))
            }
            (End::Refused(_) | End::Failed(_), _) => ToolResult::error(self.text),
        }
    }
}

/// For a client that waits by itself.
fn delay(reason: Reason, wait: u32) -> Map<String, Value> {
    let members = [
        ("portico/reason", Value::from(reason.as_str())),
        ("portico/retry_after_seconds", Value::from(wait)),
    ];
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
