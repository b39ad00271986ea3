//! What a caller is told when no workspace was settled on. It is made of their own roster alone:
//! what is not there and what is someone else's are refused in the same words.

use std::collections::HashMap;

use portico_storage::membership::Workspace;

use crate::Reason;
use crate::obstacle::{Obstacle, usable};
use crate::text::{line, quoted};

/// Why no workspace was settled on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// There are several, and the call does not say which.
    Missing,
    /// There is none to choose.
    NoneUsable,
    /// Not there, or not the caller's.
    Unknown,
    Ambiguous {
        name: String,
    },
    /// The caller's, but not one that they allowed the connection to use.
    NotChosen {
        name: String,
    },
    /// The caller's, but not the one that the address is for.
    OtherThanPinned,
    /// The address means another workspace than the one that it was allowed for.
    Moved,
    Unusable {
        name: String,
        obstacle: Obstacle,
    },
}

impl Denial {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Missing => Reason::WorkspaceMissing,
            Self::NoneUsable => Reason::NoWorkspace,
            Self::Unknown => Reason::WorkspaceUnknown,
            Self::Ambiguous { .. } => Reason::WorkspaceAmbiguous,
            Self::NotChosen { .. } => Reason::WorkspaceNotChosen,
            Self::OtherThanPinned => Reason::WorkspaceNotPinned,
            Self::Moved => Reason::AddressMoved,
            Self::Unusable { obstacle, .. } => obstacle.reason(),
        }
    }

    /// For the model, which is told what it can do next.
    pub(crate) fn words(&self, roster: &[Workspace]) -> String {
        match self {
            Self::Missing => format!("Say which workspace you mean. {}", choices(roster)),
            Self::NoneUsable => {
                format!("You have no workspace that can be used here now. {}", obstacles(roster))
            }
            Self::Unknown => format!("You have no such workspace. {}", choices(roster)),
            Self::Ambiguous { name } => format!(
                "More than one of your workspaces has that name. {}",
                instruct("one of these ids", &homonyms(roster, name))
            ),
            Self::NotChosen { name } => format!(
                "This connection may not use the workspace {}; the person can allow it by \
                 connecting again. {}",
                quoted(name),
                choices(roster)
            ),
            Self::OtherThanPinned => pinned(roster),
            Self::Moved => "This address means another workspace now than the one that the person \
                allowed. Ask them to connect again."
                .to_owned(),
            Self::Unusable { name, obstacle } => format!(
                "The workspace {} cannot be used now: {}. Ask whoever manages it, or use another; \
                 list_workspaces lists yours.",
                quoted(name),
                obstacle.sentence()
            ),
        }
    }
}

/// What an address is for that is for one workspace.
fn pinned(roster: &[Workspace]) -> String {
    match usable(roster)[..] {
        [only, ..] => format!(
            "This address is for the workspace {} only. Leave `workspace` out.",
            quoted(&only.name)
        ),
        [] => format!(
            "This address is for one workspace only, which cannot be used here now. {}",
            obstacles(roster)
        ),
    }
}

/// What to pass instead.
fn choices(roster: &[Workspace]) -> String {
    let usable = usable(roster);
    if usable.is_empty() {
        return format!("None of yours can be used here now. {}", obstacles(roster));
    }
    let mut homonyms: HashMap<String, usize> = HashMap::new();
    for workspace in &usable {
        *homonyms.entry(workspace.name.to_lowercase()).or_default() += 1;
    }
    // By name where that is enough, else by id.
    let choices: Vec<String> = usable
        .iter()
        .map(|workspace| match homonyms[&workspace.name.to_lowercase()] {
            1 => by_name(workspace),
            _ => format!("{} ({})", workspace.id, quoted(&workspace.name)),
        })
        .collect();
    instruct("one of", &choices)
}

fn by_name(workspace: &Workspace) -> String {
    match workspace.aliases.first() {
        None => quoted(&workspace.name),
        Some(alias) => format!("{} ({})", quoted(&workspace.name), line(alias)),
    }
}

fn homonyms(roster: &[Workspace], name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    usable(roster)
        .into_iter()
        .filter(|workspace| workspace.name.to_lowercase() == lower)
        .map(|workspace| format!("{} (account {})", workspace.id, line(&workspace.account_name)))
        .collect()
}

fn instruct(what: &str, choices: &[String]) -> String {
    format!("Call again with `workspace` set to {what}: {}.", listed(choices, ", "))
}

fn obstacles(roster: &[Workspace]) -> String {
    if roster.is_empty() {
        return "Ask whoever manages the account to add you to one.".to_owned();
    }
    let sentences: Vec<String> = roster
        .iter()
        .filter_map(|Workspace { name, workspace_state, account_state, .. }| {
            let obstacle = Obstacle::of(*workspace_state, *account_state)?;
            Some(format!("{}: {}", quoted(name), obstacle.sentence()))
        })
        .collect();
    format!("Ask whoever manages them. {}.", listed(&sentences, "; "))
}

/// A person may have thousands.
const MOST: usize = 20;

fn listed(items: &[String], separator: &str) -> String {
    match items.get(..MOST) {
        Some(first) if items.len() > MOST => {
            let more = items.len() - MOST;
            format!("{}{separator}and {more} more (list_workspaces)", first.join(separator))
        }
        Some(_) | None => items.join(separator),
    }
}

#[cfg(test)]
mod tests;
