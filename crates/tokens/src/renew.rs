//! The grace of a refresh token: answers get lost, and several processes share one token, so that
//! for a short time what it was answered with is answered again.

use std::time::Duration;

use portico_model::{ConnectionId, PlainToken, SecurityEvent, TenantId};
use portico_storage::refresh_token::Grace;
use portico_storage::{Conn, Error, Taking, refresh_token, security_event};

use crate::seal::{open, seal};

/// Copies of one client have been seen to come 76 seconds apart.
pub const GRACE: Grace = Grace { ttl: Duration::from_mins(2), repeats: 10 };

/// A token that was rotated, and what was answered.
#[derive(Clone, Copy)]
pub struct Answered<'a> {
    pub token: &'a PlainToken,
    pub connection: ConnectionId,
    pub answer: &'a [u8],
}

/// Keeps an answer; belongs in the transaction of the rotation.
pub async fn keep(
    conn: &mut Conn,
    tenant: TenantId,
    answered: Answered<'_>,
    random: [u8; 32],
) -> Result<(), Error> {
    let Answered { token, connection, answer } = answered;
    let sealed = seal(token, connection, answer, random);
    refresh_token::keep_answer(conn, tenant, &token.hash(), &sealed).await
}

/// The same answer once more, if the token may still have it.
pub async fn repeat(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    token: &PlainToken,
) -> Result<Taking<Vec<u8>>, Error> {
    let sealed = match refresh_token::repeat(conn, tenant, &token.hash(), GRACE).await? {
        Taking::Taken(sealed) => sealed,
        Taking::TenantSuspended => return Ok(Taking::TenantSuspended),
        Taking::Refused => return Ok(Taking::Refused),
    };
    let Ok(answer) = open(token, connection, &sealed) else {
        return Ok(Taking::Refused);
    };
    let event = SecurityEvent::RefreshRetried;
    security_event::record(conn, tenant, event, &[connection]).await?;
    Ok(Taking::Taken(answer))
}
