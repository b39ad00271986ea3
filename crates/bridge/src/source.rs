//! Where a tool's answer comes from. Another source is a file below `source/`, a variant, and an
//! arm in each of the functions here; whether a call may be made is settled before any of them.

mod registry;
mod roster;

use portico_declaration::Offered;
use portico_registry::{self as modules, Module};
use portico_storage as storage;
use portico_storage::admit::Found;
use serde_json::Value;

use crate::call::Attempt;
use crate::denial::Denial;
use crate::recorder::Begun;
use crate::tool::Tool;
use crate::{OfferError, Reply};

#[derive(Debug)]
pub(crate) enum Source {
    /// Compiled in; it works in one workspace.
    Registry(modules::Tool),
    /// The caller's own workspaces.
    Roster,
}

/// What every server has, whatever it declares.
pub(crate) fn built_in() -> Result<Vec<Tool>, OfferError> {
    Ok(vec![roster::compile()?])
}

/// The names of what every server has.
pub(crate) const BUILT_IN: [&str; 1] = [roster::NAME];

/// What the declaration names.
pub(crate) fn compile(offered: &Offered, modules: &[Module]) -> Result<Tool, OfferError> {
    registry::compile(offered, modules)
}

impl Source {
    /// Whether calls are about one workspace, which is then settled on before they run.
    pub(crate) const fn needs_workspace(&self) -> bool {
        match self {
            Self::Registry(_) => true,
            Self::Roster => false,
        }
    }

    /// Runs a call that may be made, with arguments that hold.
    pub(crate) async fn run(
        &self,
        attempt: &Attempt<'_>,
        begun: &mut Begun,
        found: Option<Found>,
        arguments: Value,
    ) -> storage::Result<Reply> {
        match (self, found) {
            (Self::Registry(tool), Some(found)) => {
                registry::run(tool, attempt, begun, found, arguments).await
            }
            // What works in a workspace does nothing without one.
            (Self::Registry(_), None) => attempt.denied(&Denial::Missing).await,
            (Self::Roster, _) => roster::run(attempt).await,
        }
    }
}
