//! Writing values of our own, whose keys are text and whose numbers are whole: it cannot fail.
//! Refuses anything that a caller made.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

#[expect(clippy::expect_used, reason = "text keys, whole numbers and checked JSON serialize")]
pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our own value serializes")
}

#[expect(clippy::expect_used, reason = "text keys, whole numbers and checked JSON serialize")]
pub(crate) fn raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).expect("our own value serializes")
}
