//! The verdict over what stands behind a token.

use portico_model::TenantState;
use portico_storage::admit::Admission;

/// Why a token is not accepted. Outside, all but `Missing` and `TenantSuspended` are one answer;
/// the words are for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no bearer token was presented")]
    Missing,
    #[error("not a token that was minted here")]
    Malformed,
    #[error("the tenant has no such token")]
    Unknown,
    #[error("the tenant is suspended")]
    TenantSuspended,
    #[error("the token has expired")]
    Expired,
    #[error("its connection has ended")]
    ConnectionEnded,
    #[error("its person is disabled")]
    PersonDisabled,
    #[error("it is for another resource")]
    OtherResource,
}

/// Whether the token is good at this moment, for this resource.
pub fn check(admission: &Admission, resource: &str) -> Result<(), Refusal> {
    if admission.ended_at.is_some() {
        return Err(Refusal::ConnectionEnded);
    }
    if admission.disabled_at.is_some() {
        return Err(Refusal::PersonDisabled);
    }
    let ends = [admission.token_expires_at, admission.connection_expires_at];
    if ends.into_iter().flatten().any(|expires_at| expires_at <= admission.now) {
        return Err(Refusal::Expired);
    }
    if admission.resource != resource {
        return Err(Refusal::OtherResource);
    }
    // Last, since only a token that is good otherwise is told.
    match admission.tenant_state {
        TenantState::Live => Ok(()),
        TenantState::Suspended => Err(Refusal::TenantSuspended),
    }
}

#[cfg(test)]
mod tests {
    use portico_model::{ClientId, ConnectionId, PersonId, Scopes};
    use time::{Duration, OffsetDateTime};
    use uuid::Uuid;

    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;
    const RESOURCE: &str = "https://h.example/mcp/boards";

    fn good() -> Admission {
        Admission {
            now: NOW,
            tenant_state: TenantState::Live,
            tenant_version: 1,
            connection: ConnectionId::from_uuid(Uuid::nil()),
            person: PersonId::from_uuid(Uuid::nil()),
            client: ClientId::from_uuid(Uuid::nil()),
            resource: RESOURCE.to_owned(),
            scopes: Scopes::default(),
            pinned: None,
            token_expires_at: None,
            connection_expires_at: None,
            ended_at: None,
            disabled_at: None,
            found: Vec::new(),
        }
    }

    // mcp:R7, mcp:R8, sec:I02, sec:I12
    #[test]
    fn a_token_is_good_only_while_everything_behind_it_is() {
        let expires = |seconds| Some(NOW + Duration::seconds(seconds));
        let resource = |resource: &str| Admission { resource: resource.to_owned(), ..good() };
        for (admission, expected) in [
            (good(), Ok(())),
            (Admission { token_expires_at: expires(1), ..good() }, Ok(())),
            (Admission { token_expires_at: expires(0), ..good() }, Err(Refusal::Expired)),
            (Admission { token_expires_at: expires(-1), ..good() }, Err(Refusal::Expired)),
            (Admission { ended_at: Some(NOW), ..good() }, Err(Refusal::ConnectionEnded)),
            (Admission { disabled_at: Some(NOW), ..good() }, Err(Refusal::PersonDisabled)),
            (
                Admission { tenant_state: TenantState::Suspended, ..good() },
                Err(Refusal::TenantSuspended),
            ),
            (
                Admission { tenant_state: TenantState::Suspended, ended_at: Some(NOW), ..good() },
                Err(Refusal::ConnectionEnded),
            ),
            (resource("https://h.example/mcp/board"), Err(Refusal::OtherResource)),
            (resource("https://h.example/mcp/boards2"), Err(Refusal::OtherResource)),
            (resource("https://other.example/mcp/boards"), Err(Refusal::OtherResource)),
        ] {
            assert_eq!(check(&admission, RESOURCE), expected, "{admission:?}");
        }
    }
}
