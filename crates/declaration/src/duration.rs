//! Lengths of time as people write them: `30m`, `8h`, `90d`.

use std::time::Duration;

/// Reads a whole number and a unit.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let split = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(split);
    let seconds_each: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    let number: u64 = number.parse().ok()?;
    number.checked_mul(seconds_each).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_is_a_number_and_a_unit() {
        for (text, seconds) in [
            ("90s", Some(90)),
            ("30m", Some(1_800)),
            ("8h", Some(28_800)),
            ("2d", Some(172_800)),
            ("8", None),
            ("h", None),
            ("", None),
            ("-8h", None),
            ("8 h", None),
            ("8w", None),
            ("99999999999999999999h", None),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(parse(text), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
