//! Which of the known words a misspelt one was meant to be, and how that is said.

/// More changes than these, and the guess would puzzle more than it helps.
const MOST_CHANGES: usize = 2;

/// What to say to somebody who wrote a word that is none of `known`.
pub(crate) fn suggest<W: AsRef<str>>(word: &str, known: &[W]) -> String {
    match (nearest(word, known.iter().map(AsRef::as_ref)), known) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "there are none".to_owned(),
        (None, [only]) => format!("only `{}` is known", only.as_ref()),
        (None, _) => format!("known are {}", quoted(known)),
    }
}

/// The known word that takes the fewest changes to reach, if those are few.
fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    known
        .into_iter()
        .filter(|other| other.len().abs_diff(word.len()) <= MOST_CHANGES)
        .map(|other| (changes(word, other), other))
        .filter(|(changes, other)| *changes <= MOST_CHANGES && *changes < other.len())
        .min_by_key(|(changes, _)| *changes)
        .map(|(_, other)| other)
}

/// `a`, `b`, `c`
fn quoted<W: AsRef<str>>(words: &[W]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    words.join(", ")
}

/// Letters to add, drop or replace (Levenshtein), one row of the table at a time.
fn changes(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (index, left) in from.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(to.chars()) {
            let replaced = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = replaced.min(before + 1).min(*cell + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_another_word_finds_none() {
        let known = ["accent", "name", "support_url"];
        for (word, expected) in [
            ("acent", Some("accent")),
            ("accnet", Some("accent")),
            ("nmae", Some("name")),
            ("support-url", Some("support_url")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }

    #[test]
    fn changes_are_counted_as_a_person_would() {
        for (from, to, count) in
            [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("a", "a", 0)]
        {
            assert_eq!(changes(from, to), count, "{from} {to}");
        }
    }
}
