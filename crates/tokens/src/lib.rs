//! Access and refresh tokens: how one is read from a header, minted, judged, renewed and taken
//! back. It knows neither HTTP requests nor the parameters of OAuth.

mod bearer;
mod check;
mod end;
mod mint;
mod renew;
mod seal;

pub use bearer::{Bearer, foreign};
pub use check::{Refusal, check};
pub use end::{disconnect, end, revoke_access, revoke_foreign, revoke_refresh};
pub use mint::{IDLE, mint_access, mint_refresh};
pub use renew::{Answered, GRACE, keep, repeat};
