//! Access tokens: how one is read from a header, minted, and judged. It knows neither HTTP
//! requests nor the parameters of OAuth.

mod bearer;
mod check;
mod mint;

pub use bearer::bearer;
pub use check::{Refusal, check};
pub use mint::mint_access;
