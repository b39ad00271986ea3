//! How a tool ends without an answer: in words meant for the caller, or by a failure whose cause
//! is for the log alone.

/// What a caller is told, and can act on: it says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl Refusal {
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    pub fn words(&self) -> &str {
        &self.0
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

impl Error {
    /// Shorthand for a refusal in these words.
    pub fn refused(words: impl Into<String>) -> Self {
        Self::Refused(Refusal::new(words))
    }
}
