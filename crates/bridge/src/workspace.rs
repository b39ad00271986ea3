//! Which workspace a call is about: a function of how it refers to one and of what was found.

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
    Named(&'c str),
}

impl<'c> Asked<'c> {
    /// Models leave a property out, or leave it empty.
    pub(crate) fn of(tool: &Tool, text: Option<&'c str>) -> Self {
        match text.map(str::trim) {
            _ if !tool.source.needs_workspace() => Self::Nothing,
            None | Some("") => Self::Sole,
            Some(name) => Self::Named(name),
        }
    }

    pub(crate) fn reference(self) -> Reference<'c> {
        match self {
            Self::Nothing => Reference::Unneeded,
            Self::Sole => Reference::Sole,
            // No text of the database can hold it; the arguments are refused for it later.
            Self::Named(name) if name.contains('\0') => Reference::Unneeded,
            Self::Named(name) => match name.parse() {
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
            (Self::Nothing | Self::Sole | Self::Named(_), _) => None,
        }
    }
}

/// The one workspace that was meant.
pub(crate) fn judge<'f>(asked: Asked<'_>, found: &'f [Found]) -> Result<&'f Found, Denial> {
    let usable: Vec<&Found> = found.iter().filter(|it| obstacle(it).is_none()).collect();
    if let [only] = usable[..] {
        return Ok(only);
    }
    let Asked::Named(_) = asked else {
        return Err(if usable.is_empty() { Denial::NoneUsable } else { Denial::Missing });
    };
    if let [one, _, ..] = usable[..] {
        return Err(Denial::Ambiguous { name: one.name.clone() });
    }
    let unusable = found.first().and_then(|it| Some((it, obstacle(it)?)));
    Err(match unusable {
        Some((it, obstacle)) => Denial::Unusable { name: it.name.clone(), obstacle },
        None => Denial::Unknown,
    })
}

fn obstacle(found: &Found) -> Option<Obstacle> {
    Obstacle::of(found.workspace_state, found.account_state)
}

#[cfg(test)]
mod tests;
