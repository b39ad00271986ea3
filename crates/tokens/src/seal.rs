//! An answer that may have to be given again, locked away with the token that it answered: whoever
//! has the table has no key, since of the token only a hash is there.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use portico_model::{ConnectionId, PlainToken};

/// Says what the key is for. Another form of sealing needs another label.
const LABEL: &[u8] = b"portico: the answer to a refresh, 1";

/// The nonce, then the ciphertext and its tag. A token is answered anew only if the transaction of
/// the first answer failed; the random nonce is for what that one may have left on a disk.
#[expect(
    clippy::expect_used,
    reason = "the key's length is the algorithm's own, the text is short"
)]
pub(crate) fn seal(
    token: &PlainToken,
    connection: ConnectionId,
    answer: &[u8],
    random: [u8; 32],
) -> Vec<u8> {
    let mut nonce = [0; NONCE_LEN];
    nonce.copy_from_slice(&random[..NONCE_LEN]);
    let mut text = answer.to_vec();
    let about = Aad::from(connection.as_uuid().as_bytes());
    let unique = Nonce::assume_unique_for_key(nonce);
    key(token)
        .and_then(|key| key.seal_in_place_append_tag(unique, about, &mut text))
        .expect("a key and a text of lengths that are allowed");
    [&nonce[..], &text].concat()
}

pub(crate) fn open(
    token: &PlainToken,
    connection: ConnectionId,
    sealed: &[u8],
) -> Result<Vec<u8>, Unspecified> {
    let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(Unspecified)?;
    let mut text = text.to_vec();
    let about = Aad::from(connection.as_uuid().as_bytes());
    let nonce = Nonce::try_assume_unique_for_key(nonce)?;
    let answer = key(token)?.open_in_place(nonce, about, &mut text)?;
    Ok(answer.to_vec())
}

/// Nothing but the token is secret here, and its 256 random bits are as many as a key has.
fn key(token: &PlainToken) -> Result<LessSafeKey, Unspecified> {
    let secret = Salt::new(HKDF_SHA256, &[]).extract(token.expose().as_bytes());
    let key = UnboundKey::from(secret.expand(&[LABEL], &AES_256_GCM)?);
    Ok(LessSafeKey::new(key))
}

#[cfg(test)]
mod tests {
    use portico_model::Kind;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_answer_is_opened_by_its_own_token_for_its_own_connection_alone() {
        let token = |byte| PlainToken::mint(Kind::RefreshToken, [byte; 32]);
        let connection = |number| ConnectionId::from_uuid(Uuid::from_u128(number));
        let answer = br#"{"access_token":"portico_at_x"}"#;
        let sealed = seal(&token(7), connection(1), answer, [9; 32]);
        assert_eq!(open(&token(7), connection(1), &sealed).unwrap(), answer);
        assert_eq!(sealed.windows(10).filter(|part| *part == b"portico_at").count(), 0);

        assert!(open(&token(8), connection(1), &sealed).is_err());
        assert!(open(&token(7), connection(2), &sealed).is_err());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open(&token(7), connection(1), &changed).is_err(), "{at}");
            assert!(open(&token(7), connection(1), &sealed[..at]).is_err(), "{at}");
        }
    }
}
