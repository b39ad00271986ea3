//! The kinds of values that keys have: a slug, a line, one of a few words, a lifetime.

use std::time::Duration;

use crate::compiled::Lifetime;
use crate::duration;
use crate::nearest::nearest;
use crate::section::{Section, quoted};
use crate::source::{Placed, Report};

pub(crate) const LONGEST_NAME: usize = 60;
pub(crate) const LONGEST_TITLE: usize = 120;
/// A slug is a part of an address.
const LONGEST_SLUG: usize = 31;

/// A name that becomes a part of an address.
pub(crate) fn slug(
    section: &mut Section<'_>,
    key: &'static str,
    report: &mut Report<'_>,
) -> Option<Placed> {
    let name = section.required_text(key, report)?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let starts_well = name.value.starts_with(|letter: char| letter.is_ascii_lowercase());
    if starts_well && name.value.len() <= LONGEST_SLUG && name.value.bytes().all(is_plain) {
        return Some(name);
    }
    let form = "a letter a to z, then at most 30 letters, digits or hyphens, all lower case";
    report.add(name.at, format!("`{key}` must be {form}"));
    None
}

/// One line of text that people will read.
pub(crate) fn line(
    section: &mut Section<'_>,
    key: &'static str,
    longest: usize,
    report: &mut Report<'_>,
) -> Option<Placed> {
    let text = section.required_text(key, report)?;
    let value = &text.value;
    if value.chars().count() <= longest && !value.chars().any(char::is_control) {
        return Some(text);
    }
    report.add(text.at, format!("`{key}` must be one line of at most {longest} characters"));
    None
}

/// One of a few words.
pub(crate) fn choose<T: Copy>(
    key: &str,
    said: &Placed,
    choices: &[(&str, T)],
    report: &mut Report<'_>,
) -> Option<T> {
    let found = choices.iter().find(|(word, _)| *word == said.value);
    if found.is_none() {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let hint = suggest(&said.value, &words);
        report.add(said.at, format!("`{key}` cannot be `{}`; {hint}", said.value));
    }
    found.map(|(_, value)| *value)
}

/// The key `access_token` of a section.
pub(crate) fn lifetime(section: &mut Section<'_>, report: &mut Report<'_>) -> Option<Lifetime> {
    let text = section.text("access_token", report)?;
    let lifetime = read_lifetime(&text.value);
    if lifetime.is_none() {
        report.add(text.at, "`access_token` must be `until-revoked`, or from `1m` to `365d`");
    }
    lifetime
}

/// What to say to somebody who wrote a word that is none of `known`.
pub(crate) fn suggest<W: AsRef<str>>(word: &str, known: &[W]) -> String {
    match (nearest(word, known.iter().map(AsRef::as_ref)), known) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "there are none".to_owned(),
        (None, [only]) => format!("only `{}` is known", only.as_ref()),
        (None, _) => format!("known are {}", quoted(known)),
    }
}

fn read_lifetime(text: &str) -> Option<Lifetime> {
    if text == "until-revoked" {
        return Some(Lifetime::UntilRevoked);
    }
    let lifetime = duration::parse(text)?;
    let allowed = Duration::from_mins(1)..=Duration::from_hours(365 * 24);
    allowed.contains(&lifetime).then_some(Lifetime::Expires(lifetime))
}
