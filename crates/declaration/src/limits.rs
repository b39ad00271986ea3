//! The `[limits]` of a document: how much one connection may do in a time.

use std::ops::RangeInclusive;

use crate::compiled::{Limits, OverLimit};
use crate::field::choose;
use crate::section::Section;
use crate::text::Report;

/// None at all would be a server that nobody can use; more than this is no limit.
const ALLOWED: RangeInclusive<u32> = 1..=1_000_000;

pub(crate) fn read(root: &mut Section<'_>, report: &mut Report<'_>) -> Limits {
    let Some(mut section) = root.section("limits", report) else {
        return Limits::DEFAULT;
    };
    let calls = section.whole_number("calls_per_minute", ALLOWED, report);
    let writes = section.whole_number("writes_per_day", ALLOWED, report);
    let said = section.text("over_limit", report);
    section.finish(report);
    let choices = [("tool-error", OverLimit::ToolError), ("429", OverLimit::TooManyRequests)];
    let over_limit = said.and_then(|said| choose("over_limit", &said, &choices, report));
    let default = Limits::DEFAULT;
    Limits {
        calls_per_minute: calls.unwrap_or(default.calls_per_minute),
        writes_per_day: writes.unwrap_or(default.writes_per_day),
        over_limit: over_limit.unwrap_or(default.over_limit),
    }
}
