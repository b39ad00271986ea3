//! One table of a document, read key by key; what is left unread is an unknown key.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::nearest::suggest;
use crate::text::{Placed, Report};

const THE_DOCUMENT: &str = "the document";

/// A table, and the keys of it that were asked for.
pub(crate) struct Section<'t> {
    /// As messages call it: `[brand]`.
    name: String,
    at: usize,
    table: &'t DeTable<'t>,
    known: Vec<&'static str>,
}

impl<'t> Section<'t> {
    pub(crate) fn of_document(table: &'t DeTable<'t>) -> Self {
        Self::new(THE_DOCUMENT.to_owned(), 0, table)
    }

    fn new(name: String, at: usize, table: &'t DeTable<'t>) -> Self {
        Self { name, at, table, known: Vec::new() }
    }

    /// Refuses what nobody asked for.
    pub(crate) fn finish(self, report: &mut Report<'_>) {
        for key in self.table.keys() {
            let (word, at) = (key.get_ref().as_ref(), key.span().start);
            if self.known.contains(&word) {
                continue;
            }
            let section = &self.name;
            let hint = suggest(word, &self.known);
            report.add(at, format!("unknown key `{word}` in {section}; {hint}"));
        }
    }

    /// A text that must be there and say something.
    pub(crate) fn required_text(
        &mut self,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Option<Placed> {
        if !self.table.contains_key(key) {
            self.missing(key, report);
        }
        let text = self.text(key, report)?;
        if text.value.trim().is_empty() {
            report.add(text.at, format!("`{key}` is empty"));
            return None;
        }
        Some(text)
    }

    pub(crate) fn text(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<Placed> {
        let value = self.value(key)?;
        text_of(key, value, report)
    }

    pub(crate) fn boolean(&mut self, key: &'static str, report: &mut Report<'_>) -> Option<bool> {
        let value = self.value(key)?;
        if let DeValue::Boolean(yes) = value.get_ref() {
            return Some(*yes);
        }
        wrong_kind(key, "true or false", value, report);
        None
    }

    /// A whole number that is one of the range.
    pub(crate) fn whole_number(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u32>,
        report: &mut Report<'_>,
    ) -> Option<u32> {
        let value = self.value(key)?;
        let DeValue::Integer(digits) = value.get_ref() else {
            wrong_kind(key, "a whole number", value, report);
            return None;
        };
        let number = u32::from_str_radix(digits.as_str(), digits.radix()).ok();
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = range.into_inner();
            let sentence = format!("`{key}` must be a whole number from {least} to {most}");
            report.add(value.span().start, sentence);
        }
        number
    }

    /// A list of texts, none of them twice.
    pub(crate) fn texts(&mut self, key: &'static str, report: &mut Report<'_>) -> Vec<Placed> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            wrong_kind(key, "a list of names", value, report);
            return Vec::new();
        };
        let mut texts: Vec<Placed> =
            items.iter().filter_map(|item| text_of(key, item, report)).collect();
        refuse_repeated(&mut texts, &format!("in `{key}`"), report);
        texts
    }

    pub(crate) fn section(
        &mut self,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Option<Section<'t>> {
        let value = self.value(key)?;
        if let DeValue::Table(table) = value.get_ref() {
            let name = self.name_of(key);
            return Some(Section::new(name, value.span().start, table));
        }
        wrong_kind(key, "a table", value, report);
        None
    }

    pub(crate) fn required_section(
        &mut self,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Option<Section<'t>> {
        if !self.table.contains_key(key) {
            self.missing(key, report);
        }
        self.section(key, report)
    }

    /// A list of tables, `[[key]]`.
    pub(crate) fn sections(
        &mut self,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Vec<Section<'t>> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            wrong_kind(key, "a list of tables", value, report);
            return Vec::new();
        };
        let mut sections = Vec::new();
        for item in items {
            if let DeValue::Table(table) = item.get_ref() {
                sections.push(Section::new(format!("[[{key}]]"), item.span().start, table));
            } else {
                wrong_kind(key, "a list of tables", item, report);
            }
        }
        sections
    }

    /// The same, and there must be one.
    pub(crate) fn required_sections(
        &mut self,
        key: &'static str,
        report: &mut Report<'_>,
    ) -> Vec<Section<'t>> {
        if !self.table.contains_key(key) {
            self.missing(key, report);
        }
        self.sections(key, report)
    }

    /// The texts of a table whose keys are the writer's own.
    pub(crate) fn named_texts(&self, report: &mut Report<'_>) -> Vec<(Placed, Placed)> {
        let entries = self.entries();
        entries
            .filter_map(|(key, value)| {
                let text = text_of(&key.value, value, report)?;
                Some((key, text))
            })
            .collect()
    }

    /// The tables of a table whose keys are the writer's own.
    pub(crate) fn named_sections(&self, report: &mut Report<'_>) -> Vec<(Placed, Section<'t>)> {
        let mut sections = Vec::new();
        for (key, value) in self.entries() {
            if let DeValue::Table(table) = value.get_ref() {
                let section = Section::new(self.name_of(&key.value), key.at, table);
                sections.push((key, section));
            } else {
                wrong_kind(&key.value, "a table", value, report);
            }
        }
        sections
    }

    fn name_of(&self, key: &str) -> String {
        match self.name.trim_matches(['[', ']']) {
            THE_DOCUMENT => format!("[{key}]"),
            outer => format!("[{outer}.{key}]"),
        }
    }

    fn missing(&self, key: &str, report: &mut Report<'_>) {
        report.add(self.at, format!("missing key `{key}` in {}", self.name));
    }

    fn value(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.known.push(key);
        self.table.get(key)
    }

    fn entries(&self) -> impl Iterator<Item = (Placed, &'t Spanned<DeValue<'t>>)> + use<'t> {
        self.table.iter().map(|(key, value)| {
            let key = Placed { value: key.get_ref().to_string(), at: key.span().start };
            (key, value)
        })
    }
}

/// Leaves the first of each, and reports the others.
pub(crate) fn refuse_repeated(list: &mut Vec<Placed>, place: &str, report: &mut Report<'_>) {
    let mut seen = std::collections::HashSet::new();
    list.retain(|item| {
        let is_first = seen.insert(item.value.clone());
        if !is_first {
            report.add(item.at, format!("`{}` stands twice {place}", item.value));
        }
        is_first
    });
}

fn text_of(key: &str, value: &Spanned<DeValue<'_>>, report: &mut Report<'_>) -> Option<Placed> {
    if let DeValue::String(text) = value.get_ref() {
        return Some(Placed { value: text.to_string(), at: value.span().start });
    }
    wrong_kind(key, "text", value, report);
    None
}

fn wrong_kind(key: &str, wanted: &str, value: &Spanned<DeValue<'_>>, report: &mut Report<'_>) {
    let kind = match value.get_ref() {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    report.add(value.span().start, format!("`{key}` must be {wanted}, and this is {kind}"));
}
