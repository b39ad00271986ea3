//! The one source of what differs between tests: names, passwords, proofs.

use std::fmt::Write as _;

#[expect(clippy::disallowed_methods, reason = "tests are not given their randomness")]
pub fn bytes() -> [u8; 32] {
    rand::random()
}

/// Enough to tell two things apart.
pub fn word() -> String {
    hex(&bytes()[..8])
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
