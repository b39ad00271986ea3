//! The kinds of values that keys have: a slug, a colour, a line, one of a few words, a lifetime.

use std::time::Duration;

use portico_model::{Colour, Slug};

use crate::compiled::Lifetime;
use crate::duration;
use crate::nearest::suggest;
use crate::section::Section;
use crate::text::{Placed, Report};

pub(crate) const LONGEST_NAME: usize = 60;
pub(crate) const LONGEST_TITLE: usize = 120;

/// A name that becomes a part of an address, and where it stands.
pub(crate) fn slug(
    section: &mut Section<'_>,
    key: &'static str,
    report: &mut Report<'_>,
) -> Option<(Slug, Placed)> {
    let name = section.required_text(key, report)?;
    let Some(slug) = Slug::parse(&name.value) else {
        let form = "a letter a to z, then at most 30 letters, digits or hyphens, all lower case";
        report.add(name.at, format!("`{key}` must be {form}"));
        return None;
    };
    Some((slug, name))
}

/// A colour that white text can be read on.
pub(crate) fn colour(
    section: &mut Section<'_>,
    key: &'static str,
    report: &mut Report<'_>,
) -> Option<Colour> {
    let text = section.required_text(key, report)?;
    let Some(colour) = Colour::parse(&text.value) else {
        report.add(text.at, format!("`{key}` must be a colour such as #0b57d0"));
        return None;
    };
    let contrast = colour.contrast(Colour::WHITE);
    if contrast >= Colour::TEXT_CONTRAST {
        return Some(colour);
    }
    let needed = Colour::TEXT_CONTRAST;
    let sentence = format!(
        "`{key}` is too light: white text on it has a contrast of {contrast:.2}, and {needed} is needed"
    );
    report.add(text.at, sentence);
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
pub(crate) fn choose<T: Clone>(
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
    found.map(|(_, value)| value.clone())
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

fn read_lifetime(text: &str) -> Option<Lifetime> {
    if text == "until-revoked" {
        return Some(Lifetime::UntilRevoked);
    }
    let lifetime = duration::parse(text)?;
    let allowed = Duration::from_mins(1)..=Duration::from_hours(365 * 24);
    allowed.contains(&lifetime).then_some(Lifetime::Expires(lifetime))
}
