//! What every request can reach.

use portico_bridge::{Leases, Recorder};
use portico_identity::Hasher;
use portico_registry::Module;
use portico_storage::Pool;

use crate::edge::Edge;
use crate::tenants::Tenants;

/// Cheap to clone; nothing in it belongs to one request.
#[derive(Clone)]
pub struct App {
    pub pool: Pool,
    pub tenants: Tenants,
    pub recorder: Recorder,
    pub leases: Leases,
    pub hasher: Hasher,
    pub edge: Edge,
}

impl App {
    /// The bits of a new secret, from the generator that the operating system seeds.
    #[expect(clippy::disallowed_methods, reason = "the one place that asks for randomness")]
    pub fn random(&self) -> [u8; 32] {
        rand::random()
    }
}

/// The modules of this build. A new one is a line here.
pub fn modules() -> Vec<Module> {
    vec![portico_board::module()]
}
