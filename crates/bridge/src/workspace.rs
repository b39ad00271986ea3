//! Which workspace a call is about: a function of how it refers to one and of what was found.

use portico_storage::admit::{Found, Reference};

use crate::denial::{Denial, Obstacle};
use crate::roster;
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
            _ if !tool.needs_workspace() => Self::Nothing,
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
            (Self::Named(name), Reference::Alias(_)) => Some(name),
            (Self::Nothing | Self::Sole | Self::Named(_), _) => None,
        }
    }
}

/// The one workspace that was meant.
pub(crate) fn judge<'f>(asked: Asked<'_>, found: &'f [Found]) -> Result<&'f Found, Denial> {
    let mut usable =
        found.iter().filter(|it| roster::is_usable(it.workspace_state, it.account_state));
    match (usable.next(), usable.next(), found.first(), asked) {
        (Some(only), None, ..) => Ok(only),
        (Some(_), Some(_), _, Asked::Sole | Asked::Nothing) => Err(Denial::Missing),
        (Some(one), Some(_), _, Asked::Named(_)) => {
            Err(Denial::Ambiguous { name: one.name.clone() })
        }
        (None, _, Some(found), Asked::Named(_)) => {
            let Found { name, workspace_state, account_state, .. } = found;
            let obstacle = Obstacle::of(*workspace_state, *account_state);
            Err(Denial::Unusable { name: name.clone(), obstacle })
        }
        (None, _, None, Asked::Named(_)) => Err(Denial::Unknown),
        (None, _, _, Asked::Sole | Asked::Nothing) => Err(Denial::NoneUsable),
    }
}

#[cfg(test)]
mod tests;
