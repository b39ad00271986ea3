//! Who sits at the browser. Today a person proves it with a password that we keep the hash of.
//! Knows nothing of HTTP and of what the person came to do.

mod password;
pub mod session;
mod sign_in;

pub use password::{HashError, Hasher};
pub use sign_in::{Refusal, sign_in};
