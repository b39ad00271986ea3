//! Hashing passwords with argon2id, off the threads that answer requests and only a few at once:
//! each takes about 15 ms of a core and 19 MiB.

use std::sync::Arc;
use std::time::Duration;

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use portico_model::Password;
use tokio::sync::Semaphore;

/// A sign-in that is not begun by then is refused, so that a flood does not make a queue.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
pub enum HashError {
    #[error("too many passwords are being checked")]
    Busy,
    #[error("the stored password hash cannot be read")]
    Unreadable(#[source] argon2::password_hash::Error),
    #[error("the password could not be hashed")]
    Hash(#[source] argon2::password_hash::Error),
    #[error("the hashing task was lost")]
    Lost(#[source] tokio::task::JoinError),
}

/// Argon2id with the crate's parameters: m=19456, t=2, p=1.
#[derive(Clone, Debug)]
pub struct Hasher {
    permits: Arc<Semaphore>,
}

impl Hasher {
    pub fn new(at_once: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(at_once)) }
    }

    /// The text to keep, with its own salt and parameters.
    pub async fn hash(&self, password: Password) -> Result<String, HashError> {
        self.run(move || {
            Argon2::default()
                .hash_password(password.expose().as_bytes())
                .map(|hash| hash.to_string())
                .map_err(HashError::Hash)
        })
        .await
    }

    /// Whether the password is the one that `stored` was made of.
    pub async fn verify(&self, password: Password, stored: String) -> Result<bool, HashError> {
        self.run(move || {
            match Argon2::default().verify_password(password.expose().as_bytes(), stored.as_str()) {
                Ok(()) => Ok(true),
                Err(argon2::password_hash::Error::PasswordInvalid) => Ok(false),
                Err(error) => Err(HashError::Unreadable(error)),
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let acquired =
            tokio::time::timeout(PATIENCE, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = acquired else {
            return Err(HashError::Busy);
        };
        tokio::task::spawn_blocking(move || {
            // Kept until the work is done, even if whoever asked has gone.
            let _permit = permit;
            work()
        })
        .await
        .map_err(HashError::Lost)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign_in::STRANGER;

    fn password(text: &str) -> Password {
        Password::new(text.to_owned())
    }

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_alone() {
        let hasher = Hasher::new(2);
        let stored = hasher.hash(password("correct horse")).await.unwrap();
        for (typed, known) in [
            ("correct horse", true),
            ("Correct horse", false),
            ("", false),
            ("correct horse ", false),
        ] {
            let found = hasher.verify(password(typed), stored.clone()).await.unwrap();
            assert_eq!(found, known, "{typed:?}");
        }
        assert_ne!(stored, hasher.hash(password("correct horse")).await.unwrap());
    }

    #[tokio::test]
    async fn a_stranger_costs_what_a_person_costs() {
        let hasher = Hasher::new(1);
        let kept = hasher.hash(password("a")).await.unwrap();
        let cost = |hash: &str| hash.rsplitn(3, '$').nth(2).unwrap().to_owned();
        assert_eq!(cost(&kept), "$argon2id$v=19$m=19456,t=2,p=1");
        assert_eq!(cost(STRANGER), cost(&kept));
        assert_eq!(STRANGER.len(), kept.len());
        assert!(!hasher.verify(password("a"), STRANGER.to_owned()).await.unwrap());
    }

    #[tokio::test]
    async fn a_damaged_hash_is_our_fault_and_not_a_wrong_password() {
        let found = Hasher::new(1).verify(password("a"), "plain".to_owned()).await;
        assert!(matches!(found, Err(HashError::Unreadable(_))), "{found:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_refused_and_does_not_queue() {
        let hasher = Hasher::new(1);
        let _held = hasher.permits.acquire().await.unwrap();
        let found = hasher.verify(password("a"), STRANGER.to_owned()).await;
        assert!(matches!(found, Err(HashError::Busy)), "{found:?}");
    }
}
