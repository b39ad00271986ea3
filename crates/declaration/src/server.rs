//! The `[[servers]]` of a document, before their tools are looked up.

use portico_model::{Hints, Slug};
use url::Host;

use crate::compiled::Lifetime;
use crate::field::{self, LONGEST_TITLE};
use crate::section::{Section, refuse_repeated};
use crate::text::{Placed, Report};

/// Models are given the whole text before their first call.
const LONGEST_INSTRUCTIONS: usize = 4_000;
const LONGEST_REASON: usize = 300;

/// Of a name and of one label of it, as DNS has them.
const LONGEST_HOST: usize = 253;
const LONGEST_LABEL: usize = 63;

/// A server as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: Slug,
    pub(crate) title: String,
    pub(crate) instructions: Option<String>,
    pub(crate) access_token: Option<Lifetime>,
    pub(crate) hosts: Vec<Placed>,
    pub(crate) tools: Vec<Placed>,
    pub(crate) modules: Vec<Placed>,
    pub(crate) denied: Vec<Placed>,
    pub(crate) hints: Vec<(Placed, Hints)>,
}

pub(crate) fn read(root: &mut Section<'_>, report: &mut Report<'_>) -> Vec<Declared> {
    let mut servers = Vec::new();
    let mut names = Vec::new();
    for mut section in root.required_sections("servers", report) {
        let server = read_one(&mut section, report);
        section.finish(report);
        if let Some((server, name)) = server {
            servers.push(server);
            names.push(name);
        }
    }
    refuse_repeated(&mut names, "as a server's `name`", report);
    // The same in one list is refused where the list is read.
    let mut hosts = servers.iter().flat_map(|server| server.hosts.clone()).collect();
    refuse_repeated(&mut hosts, "among the `hosts` of servers", report);
    servers
}

/// The server, and where its name stands.
fn read_one(section: &mut Section<'_>, report: &mut Report<'_>) -> Option<(Declared, Placed)> {
    let name = field::slug(section, "name", report);
    let title = field::line(section, "title", LONGEST_TITLE, report);
    let instructions = read_instructions(section, report);
    let access_token = field::lifetime(section, report);
    let hosts = read_hosts(section, report);
    let tools = section.texts("tools", report);
    let modules = section.texts("modules", report);
    let denied = read_denied(section, report);
    let hints = read_hints(section, report);
    let ((name, placed), title) = (name?, title?.value);
    let server =
        Declared { name, title, instructions, access_token, hosts, tools, modules, denied, hints };
    Some((server, placed))
}

fn read_instructions(section: &mut Section<'_>, report: &mut Report<'_>) -> Option<String> {
    let text = section.text("instructions", report)?;
    let length = text.value.chars().count();
    if length > LONGEST_INSTRUCTIONS {
        let sentence = format!(
            "`instructions` has {length} characters, and {LONGEST_INSTRUCTIONS} is the most"
        );
        report.add(text.at, sentence);
    }
    let text = text.value.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn read_hosts(section: &mut Section<'_>, report: &mut Report<'_>) -> Vec<Placed> {
    let hosts = section.texts("hosts", report);
    for host in hosts.iter().filter(|host| !is_host(&host.value)) {
        let form = "a host name or an address, lower case and without a port";
        report.add(host.at, format!("`hosts` cannot hold `{}`; it must be {form}", host.value));
    }
    hosts
}

/// Whether it is written as browsers send it, so that it can be compared byte for byte.
fn is_host(text: &str) -> bool {
    let is_canonical = |host: &Host| host.to_string() == text;
    match Host::parse(text).ok().filter(is_canonical) {
        Some(Host::Domain(name)) => name.len() <= LONGEST_HOST && name.split('.').all(is_label),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    }
}

fn is_label(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=LONGEST_LABEL).contains(&text.len())
        && text.bytes().all(is_plain)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// `[servers.deny]`: a tool, and why it is not offered.
fn read_denied(section: &mut Section<'_>, report: &mut Report<'_>) -> Vec<Placed> {
    let Some(deny) = section.section("deny", report) else {
        return Vec::new();
    };
    let mut denied = Vec::new();
    for (tool, reason) in deny.named_texts(report) {
        if reason.value.trim().is_empty() || reason.value.chars().count() > LONGEST_REASON {
            let sentence = format!(
                "`{}` must be denied with a reason of at most {LONGEST_REASON} characters",
                tool.value
            );
            report.add(reason.at, sentence);
        }
        denied.push(tool);
    }
    denied
}

/// `[servers.hints.<tool>]`
fn read_hints(section: &mut Section<'_>, report: &mut Report<'_>) -> Vec<(Placed, Hints)> {
    let Some(hints) = section.section("hints", report) else {
        return Vec::new();
    };
    let mut read = Vec::new();
    for (tool, mut said) in hints.named_sections(report) {
        let hints = Hints {
            read_only: said.boolean("read_only", report),
            destructive: said.boolean("destructive", report),
            idempotent: said.boolean("idempotent", report),
            open_world: said.boolean("open_world", report),
        };
        said.finish(report);
        read.push((tool, hints));
    }
    read
}
