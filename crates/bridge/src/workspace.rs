//! Which workspace a call is about: a function of how it refers to one and of what was found.

use portico_model::WorkspaceId;
use portico_storage::admit::{Found, Reference};

use crate::denial::Denial;
use crate::obstacle::Obstacle;
use crate::tool::Tool;

/// How a call refers to its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked<'c> {
    /// It is about none.
    Nothing,
    /// It does not say.
    Sole,
    /// It does not say, but its address does.
    Pinned(&'c str),
    Named(&'c str),
}

impl<'c> Asked<'c> {
    /// Models leave a property out, or leave it empty.
    pub(crate) fn of(tool: &Tool, text: Option<&'c str>, pin: Option<&'c str>) -> Self {
        match (text.map(str::trim), pin) {
            _ if !tool.source.needs_workspace() => Self::Nothing,
            (None | Some(""), None) => Self::Sole,
            (None | Some(""), Some(pin)) => Self::Pinned(pin),
            (Some(name), _) => Self::Named(name),
        }
    }

    pub(crate) fn reference(self) -> Reference<'c> {
        match self {
            Self::Nothing => Reference::Unneeded,
            Self::Sole => Reference::Sole,
            // No text of the database can hold it; the arguments are refused for it later.
            Self::Pinned(name) | Self::Named(name) if name.contains('\0') => Reference::Unneeded,
            Self::Pinned(name) | Self::Named(name) => match name.parse() {
                Ok(id) => Reference::Id(id),
                Err(_) => Reference::Alias(name),
            },
        }
    }

    /// The text to try as a name, where neither an id nor an alias was found.
    pub(crate) fn name(self) -> Option<&'c str> {
        match (self, self.reference()) {
            // A name may look like an id.
            (Self::Named(name), Reference::Alias(_) | Reference::Id(_)) => Some(name),
            // An address has no names in it, which anybody may give a workspace.
            (Self::Nothing | Self::Sole | Self::Pinned(_) | Self::Named(_), _) => None,
        }
    }
}

/// The one workspace that was meant, of those that the connection may use. `pinned` is the one
/// that the connection's address was for when it was allowed.
pub(crate) fn judge<'f>(
    asked: Asked<'_>,
    pinned: Option<WorkspaceId>,
    found: &'f [Found],
) -> Result<&'f Found, Denial> {
    let first = found.first();
    if let (Asked::Pinned(_), Some(it)) = (asked, first)
        && pinned != Some(it.workspace)
    {
        return Err(Denial::Moved);
    }
    let usable: Vec<&Found> =
        found.iter().filter(|it| it.chosen && obstacle(it).is_none()).collect();
    match (usable[..].first(), usable.get(1), asked) {
        (Some(only), None, _) => Ok(only),
        (Some(_), Some(_), Asked::Nothing | Asked::Sole) => Err(Denial::Missing),
        (Some(one), Some(_), Asked::Pinned(_) | Asked::Named(_)) => {
            Err(Denial::Ambiguous { name: one.name.clone() })
        }
        (None, _, Asked::Nothing | Asked::Sole) => Err(Denial::NoneUsable),
        (None, _, Asked::Pinned(_) | Asked::Named(_)) => {
            Err(first.map_or(Denial::Unknown, |it| unusable(it, pinned)))
        }
    }
}

/// Why the person's workspace cannot be used.
fn unusable(found: &Found, pinned: Option<WorkspaceId>) -> Denial {
    let name = found.name.clone();
    match obstacle(found) {
        _ if pinned.is_some_and(|pinned| pinned != found.workspace) => Denial::OtherThanPinned,
        _ if !found.chosen => Denial::NotChosen { name },
        Some(obstacle) => Denial::Unusable { name, obstacle },
        None => Denial::Unknown,
    }
}

fn obstacle(found: &Found) -> Option<Obstacle> {
    Obstacle::of(found.workspace_state, found.account_state)
}

#[cfg(test)]
mod tests;
