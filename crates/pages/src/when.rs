//! A moment as people read it.

use std::fmt;

use time::{OffsetDateTime, UtcOffset};

/// Shown as `30 November 2026, 14:05 UTC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct When(OffsetDateTime);

impl When {
    pub fn new(at: OffsetDateTime) -> Self {
        Self(at.to_offset(UtcOffset::UTC))
    }

    /// The day alone, of what is far away.
    pub(crate) fn day(&self) -> String {
        format!("{} {} {}", self.0.day(), self.0.month(), self.0.year())
    }

    /// The same for machines, as in `<time datetime>`.
    pub(crate) fn machine(&self) -> String {
        let (date, time) = (self.0.date(), self.0.time());
        format!("{date}T{:02}:{:02}:{:02}Z", time.hour(), time.minute(), time.second())
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute) = (self.0.hour(), self.0.minute());
        write!(f, "{}, {hour:02}:{minute:02} UTC", self.day())
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::When;

    #[test]
    fn a_moment_is_absolute_and_in_utc_wherever_it_was_noted() {
        let when = When::new(datetime!(2026-12-01 01:05:09 +11));
        assert_eq!(when.to_string(), "30 November 2026, 14:05 UTC");
        assert_eq!(when.machine(), "2026-11-30T14:05:09Z");
    }
}
