//! What becomes of an attempt to take something that is good once. It knows neither codes nor
//! refresh tokens.

use portico_model::TenantState;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taking<T = ()> {
    Taken(T),
    /// It is as it was: what it was issued for may come back.
    TenantSuspended,
    /// It is unknown, was taken, ran out, or what it was for has ended.
    Refused,
}

impl<T> Taking<T> {
    pub(crate) fn of(taken: Option<T>, tenant: TenantState) -> Self {
        match (taken, tenant) {
            (Some(taken), _) => Self::Taken(taken),
            (None, TenantState::Suspended) => Self::TenantSuspended,
            (None, TenantState::Live) => Self::Refused,
        }
    }
}
