//! What a text of JSON would cost as a tree, found out by reading it once and building nothing.
//! Refuses to know what the text says, and whether it is JSON at all.

use std::fmt;

/// No tool's arguments come near, and no reader behind us need be able to go deeper.
const DEEPEST: usize = 64;

/// A small object costs many times its text once it is a tree: about 700 bytes. So many values, in
/// the largest body that is taken, cost less than eight times that body.
const MOST_VALUES: usize = 5_000;

/// Why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    Depth,
    Values,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Depth => "nested too deeply",
            Self::Values => "too many values",
        })
    }
}

/// Whether the values are few and shallow enough to be made a tree.
pub fn check(text: &[u8]) -> Result<(), Excess> {
    let (mut depth, mut values, mut in_string, mut escaped) = (0_usize, 1_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                values += 1;
            }
            // There may be more of them than were opened: whether it is JSON is seen later.
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            _ => {}
        }
        if depth > DEEPEST {
            return Err(Excess::Depth);
        }
        if values > MOST_VALUES {
            return Err(Excess::Values);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // sec:J11, sec:N08, sec:B20
    #[test]
    fn a_tree_that_would_cost_too_much_is_refused_as_text() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let wide = |count: usize| format!("[{}1]", r#"{"a":0},"#.repeat(count));
        for (text, expected) in [
            (deep(64), Ok(())),
            (deep(65), Err(Excess::Depth)),
            (deep(100_000), Err(Excess::Depth)),
            (wide(2_499), Ok(())),
            (wide(2_500), Err(Excess::Values)),
            (format!(r#"{{"a":{}}}"#, deep(64)), Err(Excess::Depth)),
            (format!("{{{}}}", r#""a":0,"#.repeat(100_000)), Err(Excess::Values)),
            (format!(r#"["{}"]"#, "[{,".repeat(100_000)), Ok(())),
            (format!(r#"["\"{}"]"#, "[".repeat(200)), Ok(())),
            (format!(r#"["\\",{}]"#, deep(64)), Err(Excess::Depth)),
            (format!("]]]{}", deep(65)), Err(Excess::Depth)),
        ] {
            assert_eq!(check(text.as_bytes()), expected, "{} bytes", text.len());
        }
    }
}
