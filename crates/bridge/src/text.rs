//! Text of others in the answers that a model reads. Each piece stays one line, so that none can
//! pass for a line of the answer it stands in, or turn the letters around it.

/// The text with what would break or turn its line written out: `\n`, `\u{202e}`.
pub(crate) fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if breaks_line(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// The same in quotation marks, as sentences have names.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", line(text))
}

/// As much of a line as helps to recognise it.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 64;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line(&text[..end])),
        None => line(text),
    }
}

/// Controls, separators of lines, and marks of direction. What joins letters is left, since names
/// have it.
fn breaks_line(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_and_reads_from_its_beginning() {
        for (text, expected) in [
            ("Docs", "Docs"),
            ("Über \"🚀\" 日本", "Über \"🚀\" 日本"),
            ("👩\u{200d}🚀", "👩\u{200d}🚀"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\u{7f}\u{85}\u{2028}", "\\u{7f}\\u{85}\\u{2028}"),
            ("\u{202e}cod\u{2069}", "\\u{202e}cod\\u{2069}"),
        ] {
            assert_eq!(line(text), expected);
        }
        assert_eq!(short(&"é\n".repeat(40)), format!("{}…", "é\\n".repeat(32)));
        assert_eq!(short(&"é".repeat(64)), "é".repeat(64));
    }
}
