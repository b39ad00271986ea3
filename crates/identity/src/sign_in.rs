//! Signing in with an e-mail address and a password.

use portico_model::{Password, PersonId, TenantId};
use portico_storage::{self as storage, Pool};

use crate::{HashError, Hasher};

/// What nobody's password was made into: checked where there is no person, so that an unknown
/// address costs as much as a wrong password.
pub(crate) const STRANGER: &str = "$argon2id$v=19$m=19456,t=2,p=1$KpLUgSWp8T2/rk/yDSiTdw$jyE80cuut43sWOftU6uvNtUL5mKciCKDTMp3KlayXyk";

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Which of the two it was is never said.
    #[error("unknown e-mail address or wrong password")]
    WrongEmailOrPassword,
    /// The password was right.
    #[error("the person is disabled")]
    Disabled,
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// Who has this address and password.
pub async fn sign_in(
    pool: &Pool,
    hasher: &Hasher,
    tenant: TenantId,
    email: &str,
    password: Password,
) -> Result<PersonId, Refusal> {
    // Postgres has no text with a zero character in it.
    let email = email.trim().replace('\0', "\u{fffd}");
    let mut conn = storage::acquire(pool).await?;
    let person = storage::person::find_by_email(&mut conn, tenant, &email).await?;
    let nobody = PersonId::from_uuid(uuid::Uuid::nil());
    let id = person.as_ref().map_or(nobody, |person| person.id);
    let stored = storage::password::find(&mut conn, tenant, id).await?;
    drop(conn);

    let is_stranger = stored.is_none();
    let stored = stored.unwrap_or_else(|| STRANGER.to_owned());
    let is_right = hasher.verify(password, stored).await?;
    match person {
        Some(person) if is_right && !is_stranger => {
            if person.disabled {
                return Err(Refusal::Disabled);
            }
            Ok(person.id)
        }
        Some(_) | None => Err(Refusal::WrongEmailOrPassword),
    }
}
