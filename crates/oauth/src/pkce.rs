//! Proof that who exchanges a code is who asked for it (RFC 7636), S256 only.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// SHA-256 of a verifier, in base64url without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge(String);

impl Challenge {
    /// `None`: no SHA-256 is written so.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digest = URL_SAFE_NO_PAD.decode(text).ok()?;
        (digest.len() == Sha256::output_size()).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether `verifier` is one (43 to 128 characters of RFC 7636 §4.1) and is what the stored
/// challenge was made from.
pub(crate) fn proves(verifier: &str, challenge: &str) -> bool {
    let is_shaped = (43..=128).contains(&verifier.len())
        && verifier.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    let made = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    is_shaped && bool::from(made.as_bytes().ct_eq(challenge.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge_of(verifier: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
    }

    #[test]
    fn the_example_of_the_rfc_holds() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert!(proves(verifier, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
    }

    // mcp:A15, sec:F01
    #[test]
    fn a_verifier_is_judged_by_length_alphabet_and_digest() {
        let long = |letter: &str, length| letter.repeat(length);
        for (verifier, is_good) in [
            (long("a", 43), true),
            (long("~", 128), true),
            (format!("{}-._~", long("Z", 40)), true),
            (long("a", 42), false),
            (long("a", 129), false),
            (format!("{}+/=", long("a", 43)), false),
            (format!("{} ", long("a", 43)), false),
            (long("\u{e9}", 43), false),
            (String::new(), false),
        ] {
            assert_eq!(proves(&verifier, &challenge_of(&verifier)), is_good, "{verifier}");
            assert!(!proves(&verifier, &challenge_of("another")), "{verifier}");
        }
    }

    // sec:D07
    #[test]
    fn only_a_sha_256_is_a_challenge() {
        let good = challenge_of("v");
        for (text, is_good) in [
            (good.clone(), true),
            (good[..42].to_owned(), false),
            (format!("{good}="), false),
            (format!("{good}A"), false),
            (format!("+/{}", &good[2..]), false),
            ("a".repeat(129), false),
            (String::new(), false),
            ("\u{e9}".repeat(43), false),
        ] {
            assert_eq!(Challenge::parse(&text).is_some(), is_good, "{text}");
        }
    }
}
