//! An app's name, which the app chose itself: it is cleaned before it is shown, and proves nothing.

use std::fmt;

use portico_model::is_invisible;

use crate::frame::first_letter;

/// Longer names push what matters off the screen.
const SHOWN_CHARS: usize = 60;

/// What an app calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppName(Option<String>);

impl AppName {
    /// Invisible and direction-changing characters go, since a name must not rearrange the text
    /// around it; runs of white space become one space.
    pub fn new(given: Option<&str>) -> Self {
        let visible: String = given
            .unwrap_or("")
            .chars()
            .filter(|character| character.is_whitespace() || !is_invisible(*character))
            .collect();
        let name = visible.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() {
            return Self(None);
        }
        if name.chars().count() <= SHOWN_CHARS {
            return Self(Some(name));
        }
        let cut: String = name.chars().take(SHOWN_CHARS - 1).collect();
        Self(Some(format!("{}…", cut.trim_end())))
    }

    pub(crate) const fn is_given(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn letter(&self) -> String {
        first_letter(self.as_str())
    }

    /// One of the six colours of the stylesheet, the same for the same name.
    pub(crate) fn colour(&self) -> u32 {
        let sum: u32 = self.as_str().chars().map(u32::from).fold(0, u32::wrapping_add);
        sum % 6
    }

    fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("Unnamed app")
    }
}

impl fmt::Display for AppName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::AppName;

    // sec:B14
    #[test]
    fn a_name_cannot_rearrange_or_hide_what_is_around_it() {
        for (given, shown) in [
            (None, "Unnamed app"),
            (Some(""), "Unnamed app"),
            (Some(" \u{200b}\u{202e} "), "Unnamed app"),
            (Some("Claude\u{202e}edoC"), "ClaudeedoC"),
            (Some("Cla\u{200b}ude\0\u{1b}[31m"), "Claude[31m"),
            (Some("Claude\n\n  Code\u{2028}x"), "Claude Code x"),
            (Some("Café ✳️ 日本"), "Café ✳️ 日本"),
        ] {
            assert_eq!(AppName::new(given).to_string(), shown, "{given:?}");
        }
    }

    // sec:B14
    #[test]
    fn a_long_name_is_cut() {
        let shown = AppName::new(Some(&"é".repeat(10_000))).to_string();
        assert_eq!(shown, format!("{}…", "é".repeat(59)));
        assert_eq!(AppName::new(Some(&"é".repeat(60))).to_string(), "é".repeat(60));
    }

    #[test]
    fn a_name_has_a_letter_even_without_letters() {
        for (name, letter) in [("claude", "C"), ("✳ x", "X"), ("!!", "?"), ("", "U")] {
            assert_eq!(AppName::new(Some(name)).letter(), letter, "{name:?}");
        }
    }
}
