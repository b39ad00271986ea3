//! What a tool says when it has done its work: text for a model to read, of a length that clients
//! pass on whole.

/// Some clients put a longer text into a file and show its beginning, others cut it without a word.
const LONGEST: usize = 40_000;

const CUT: &str = "\n(The rest is left out: the answer is too long. Ask for less.)";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    text: String,
}

impl Answer {
    pub fn new(text: impl Into<String>) -> Self {
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push_str(CUT);
        }
        Self { text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // cli:88
    #[test]
    fn a_long_answer_is_cut_at_a_character_and_says_so() {
        for (length, cut) in [(0, false), (LONGEST, false), (LONGEST + 1, true)] {
            let answer = Answer::new("é".repeat(length));
            let kept = answer.text().strip_suffix(CUT);
            assert_eq!(kept.is_some(), cut, "{length}");
            assert_eq!(kept.unwrap_or(answer.text()), "é".repeat(length.min(LONGEST)));
        }
    }
}
