//! What of a foreign text a person would not see.

/// Whether a character is not shown, or changes how those around it are: with such a one, a name
/// looks like another name.
pub fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::is_invisible;

    // sec:B14
    #[test]
    fn what_cannot_be_seen_is_told_from_what_can() {
        for letter in ['a', ' ', '\u{e9}', '\u{65e5}', '\u{2733}', '\u{fe0f}', '<'] {
            assert!(!is_invisible(letter), "{letter:?}");
        }
        for letter in [
            '\0',
            '\n',
            '\u{1b}',
            '\u{ad}',
            '\u{180e}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{3164}',
            '\u{fff9}',
            '\u{e0041}',
        ] {
            assert!(is_invisible(letter), "{letter:?}");
        }
    }
}
