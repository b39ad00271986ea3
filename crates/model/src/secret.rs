//! Secrets as types: what is inside is never printed, and only a hash of it is ever stored.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What a secret is good for. A secret of one kind is nothing where another is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    AccessToken,
    RefreshToken,
    Code,
    /// A signed-in browser.
    Session,
    /// A browser, whoever sits at it.
    Browser,
}

impl Kind {
    pub const ALL: [Self; 5] =
        [Self::AccessToken, Self::RefreshToken, Self::Code, Self::Session, Self::Browser];

    /// Never change one: scanners and issued secrets know it.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::AccessToken => "portico_at_",
            Self::RefreshToken => "portico_rt_",
            Self::Code => "portico_ac_",
            Self::Session => "portico_ss_",
            Self::Browser => "portico_br_",
        }
    }
}

/// The text has another kind's prefix, or was not minted by us.
#[derive(Debug)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("malformed secret")
    }
}

impl std::error::Error for Malformed {}

const RANDOM_LEN: usize = 32;
const CHECKSUM_LEN: usize = 4;

/// A secret as its owner holds it: a prefix, 256 random bits and a checksum.
#[derive(Clone)]
pub struct PlainToken(String);

impl PlainToken {
    pub fn mint(kind: Kind, random: [u8; RANDOM_LEN]) -> Self {
        let mut bytes = [0; RANDOM_LEN + CHECKSUM_LEN];
        bytes[..RANDOM_LEN].copy_from_slice(&random);
        bytes[RANDOM_LEN..].copy_from_slice(&checksum(kind, &random));
        Self(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Reads a presented secret. The checksum lets a typing error or a stranger's guess be
    /// refused without asking the database.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, Malformed> {
        let encoded = text.strip_prefix(kind.prefix()).ok_or(Malformed)?;
        let mut bytes = [0; RANDOM_LEN + CHECKSUM_LEN];
        match URL_SAFE_NO_PAD.decode_slice(encoded, &mut bytes) {
            Ok(len) if len == bytes.len() => {}
            Ok(_) | Err(_) => return Err(Malformed),
        }
        let (random, sum) = bytes.split_at(RANDOM_LEN);
        if !bool::from(checksum(kind, random).ct_eq(sum)) {
            return Err(Malformed);
        }
        Ok(Self(text.to_owned()))
    }

    /// The secret itself, for the one answer that hands it out.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

fn checksum(kind: Kind, random: &[u8]) -> [u8; CHECKSUM_LEN] {
    let digest = Sha256::new().chain_update(kind.prefix()).chain_update(random).finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

impl fmt::Debug for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainToken(..)")
    }
}

/// What is stored of a secret: its SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Of a secret that was minted elsewhere, and has no form that we know.
    pub fn of_foreign(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// One that another system kept.
    pub const fn from_bytes(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A password as it was typed.
#[derive(Clone, serde::Deserialize)]
#[serde(transparent)]
pub struct Password(String);

impl Password {
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_back_only_as_its_own_kind() {
        for kind in Kind::ALL {
            let token = PlainToken::mint(kind, [7; 32]);
            for other in Kind::ALL {
                let read = PlainToken::parse(other, token.expose());
                assert_eq!(read.is_ok(), other == kind, "{kind:?} as {other:?}");
            }
        }
    }

    #[test]
    fn a_changed_character_is_noticed_without_a_look_up() {
        let token = PlainToken::mint(Kind::AccessToken, [7; 32]);
        let whole = token.expose();
        for at in Kind::AccessToken.prefix().len()..whole.len() {
            let mut changed = whole.to_owned().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(PlainToken::parse(Kind::AccessToken, &changed).is_err(), "{at}");
        }
        for cut in 0..whole.len() {
            assert!(PlainToken::parse(Kind::AccessToken, &whole[..cut]).is_err(), "{cut}");
        }
    }

    // mcp:R11
    #[test]
    fn no_secret_is_printed() {
        let token = PlainToken::mint(Kind::Session, [7; 32]);
        let password = Password::new("hunter2".to_owned());
        assert_eq!(format!("{token:?} {password:?}"), "PlainToken(..) Password(..)");
    }
}
