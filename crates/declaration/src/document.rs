//! The document as it was written: every key known, every value well-formed. Whether its tools and
//! modules exist is `compile`'s question.

use portico_model::{Scope, Slug};
use toml::de::DeTable;
use url::Url;

use crate::compiled::{Brand, Limits, ScopeTitle};
use crate::field::{self, LONGEST_NAME, LONGEST_TITLE, choose};
use crate::limits;
use crate::oauth::{self, OAuth};
use crate::problem::Problems;
use crate::section::Section;
use crate::server::{self, Declared};
use crate::text::{Report, Text};

/// Longer than any declaration that a person wrote.
const MOST_BYTES: usize = 256 * 1024;

/// A declaration that was read and is not yet compiled.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) text: Text,
    pub(crate) tenant: Slug,
    pub(crate) brand: Brand,
    pub(crate) oauth: OAuth,
    pub(crate) limits: Limits,
    pub(crate) scopes: Vec<ScopeTitle>,
    pub(crate) servers: Vec<Declared>,
}

/// Reads a document; `file` is what messages call it.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text. Whether tools and modules exist is
/// not looked at yet.
pub fn parse(file: &str, text: &str) -> Result<Document, Problems> {
    let whole = Text { file: file.to_owned(), content: text.to_owned() };
    let mut report = Report::new(&whole);
    if text.len() > MOST_BYTES {
        report.add(0, format!("longer than {MOST_BYTES} bytes"));
        return Err(report.into_problems());
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        report_syntax(&errors, text, &mut report);
        return Err(report.into_problems());
    }

    let mut root = Section::of_document(table.get_ref());
    let tenant = field::slug(&mut root, "tenant", &mut report);
    let brand = read_brand(&mut root, &mut report);
    read_kind(&mut root, "sign_in", "local", &mut report);
    read_kind(&mut root, "directory", "managed", &mut report);
    let oauth = oauth::read(&mut root, &mut report);
    let limits = limits::read(&mut root, &mut report);
    let scopes = read_scopes(&mut root, &mut report);
    let servers = server::read(&mut root, &mut report);
    root.finish(&mut report);

    let (Some((tenant, _)), Some(brand), true) = (tenant, brand, report.is_empty()) else {
        return Err(report.into_problems());
    };
    Ok(Document { text: whole, tenant, brand, oauth, limits, scopes, servers })
}

/// A broken line often breaks what follows: the first error of each line is enough.
fn report_syntax(errors: &[toml::de::Error], text: &str, report: &mut Report<'_>) {
    let mut last_line = None;
    for error in errors {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        if last_line != Some(line) {
            report.add(at, error.message().replace('\n', "; "));
        }
        last_line = Some(line);
    }
}

fn read_brand(root: &mut Section<'_>, report: &mut Report<'_>) -> Option<Brand> {
    let mut section = root.required_section("brand", report)?;
    let name = field::line(&mut section, "name", LONGEST_NAME, report);
    let accent = field::colour(&mut section, "accent", report);
    let app_url = https(&mut section, "app_url", report);
    let support_url = https(&mut section, "support_url", report);
    section.finish(report);
    Some(Brand { name: name?.value, accent: accent?, app_url, support_url })
}

fn https(section: &mut Section<'_>, key: &'static str, report: &mut Report<'_>) -> Option<Url> {
    let text = section.text(key, report)?;
    let url = Url::parse(&text.value).ok().filter(|url| url.scheme() == "https");
    if url.is_none() {
        report.add(text.at, format!("`{key}` must be an https address"));
    }
    url
}

/// A section that has one kind so far.
fn read_kind(root: &mut Section<'_>, key: &'static str, kind: &str, report: &mut Report<'_>) {
    let Some(mut section) = root.required_section(key, report) else {
        return;
    };
    if let Some(said) = section.required_text("kind", report) {
        choose("kind", &said, &[(kind, ())], report);
    }
    section.finish(report);
}

fn read_scopes(root: &mut Section<'_>, report: &mut Report<'_>) -> Vec<ScopeTitle> {
    let choices: Vec<_> = Scope::ALL.iter().map(|scope| (scope.as_str(), *scope)).collect();
    let mut scopes: Vec<ScopeTitle> = Vec::new();
    for mut section in root.required_sections("scopes", report) {
        let name = section.required_text("name", report);
        let title = field::line(&mut section, "title", LONGEST_TITLE, report);
        section.finish(report);
        let Some(name) = name else { continue };
        let Some(scope) = choose("name", &name, &choices, report) else {
            continue;
        };
        if scopes.iter().any(|known| known.scope == scope) {
            report.add(name.at, format!("the scope `{scope}` stands twice"));
        } else if let Some(title) = title {
            scopes.push(ScopeTitle { scope, title: title.value });
        }
    }
    scopes
}

#[cfg(test)]
mod tests;
