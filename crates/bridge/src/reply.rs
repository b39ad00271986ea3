//! What a call came to, as far as its caller is told.

use portico_mcp::ToolResult;
use portico_model::{CallId, Outcome};
use portico_storage as storage;

use crate::Reason;

#[derive(Debug)]
pub struct Reply {
    /// For the model. A refusal says what to do next.
    pub text: String,
    pub end: End,
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
        Self { text, end: End::Answered }
    }

    pub(crate) fn refused(reason: Reason, text: impl Into<String>) -> Self {
        Self { text: text.into(), end: End::Refused(reason) }
    }

    pub(crate) fn failed(call: CallId, cause: storage::Error) -> Self {
        let text = format!(
            "The tool failed, and nothing was changed. Try again; if it fails again, report this \
             reference: {call}"
        );
        Self { text, end: End::Failed(cause) }
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
        match self.end {
            End::Answered => ToolResult::text(self.text),
            End::Refused(_) | End::Failed(_) => ToolResult::error(self.text),
        }
    }
}
