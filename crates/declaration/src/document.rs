//! The document as it was written: every key known, every value well-formed. Whether its tools and
//! modules exist is `compile`'s question.

use std::time::Duration;

use portico_model::Scope;
use toml::de::DeTable;
use url::Url;

use crate::colour::Colour;
use crate::compiled::{Brand, Lifetime, Permission, Redirects};
use crate::field::{self, LONGEST_NAME, LONGEST_TITLE, choose};
use crate::problem::Problems;
use crate::section::Section;
use crate::server::{self, Declared};
use crate::source::{Report, Source};

/// Longer than any declaration that a person wrote.
const MOST_BYTES: usize = 256 * 1024;
const DEFAULT_LIFETIME: Lifetime = Lifetime::Expires(Duration::from_hours(8));

/// A declaration that was read and is not yet compiled.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) source: Source,
    pub(crate) tenant: String,
    pub(crate) brand: Brand,
    pub(crate) access_token: Lifetime,
    pub(crate) redirects: Redirects,
    pub(crate) scopes: Vec<Permission>,
    pub(crate) servers: Vec<Declared>,
}

impl Document {
    /// The slug of the tenant that it is about.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }
}

/// Reads a document; `file` is what messages call it.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text. Whether tools and modules exist is
/// not looked at yet.
pub fn parse(file: &str, text: &str) -> Result<Document, Problems> {
    let source = Source { file: file.to_owned(), text: text.to_owned() };
    let mut report = Report::new(&source);
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
    let (access_token, redirects) = read_oauth(&mut root, &mut report);
    let scopes = read_scopes(&mut root, &mut report);
    let servers = server::read(&mut root, &mut report);
    root.finish(&mut report);

    let (Some(tenant), Some(brand), true) = (tenant, brand, report.is_empty()) else {
        return Err(report.into_problems());
    };
    let tenant = tenant.value;
    Ok(Document { source, tenant, brand, access_token, redirects, scopes, servers })
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
    let accent = section.required_text("accent", report).and_then(|text| {
        Colour::parse(&text.value)
            .map_err(|unfit| report.add(text.at, format!("`accent` {unfit}")))
            .ok()
    });
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

fn read_oauth(root: &mut Section<'_>, report: &mut Report<'_>) -> (Lifetime, Redirects) {
    let defaults = (DEFAULT_LIFETIME, Redirects::KnownApps);
    let Some(mut section) = root.section("oauth", report) else {
        return defaults;
    };
    let lifetime = field::lifetime(&mut section, report);
    let redirects = section.text("redirects", report).and_then(|said| {
        let choices = [
            ("known-apps", Redirects::KnownApps),
            ("https-or-loopback", Redirects::HttpsOrLoopback),
        ];
        choose("redirects", &said, &choices, report)
    });
    section.finish(report);
    (lifetime.unwrap_or(defaults.0), redirects.unwrap_or(defaults.1))
}

fn read_scopes(root: &mut Section<'_>, report: &mut Report<'_>) -> Vec<Permission> {
    let choices: Vec<_> = Scope::ALL.iter().map(|scope| (scope.as_str(), *scope)).collect();
    let mut scopes: Vec<Permission> = Vec::new();
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
            scopes.push(Permission { scope, title: title.value });
        }
    }
    scopes
}

#[cfg(test)]
mod tests;
