//! Where a request came to, read from its Host and its path, and the path as the routes know it.
//! It knows neither who has which host nor what is at an address.

mod host;
mod origin;
mod path;

pub use host::Host;
pub use origin::Origin;
pub use path::{below_host, below_tenant, with_path};
