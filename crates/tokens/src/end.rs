//! Endings, each with its line in the record of what happened to connections. What has ended is
//! refused from the next call on, since every call asks its row.

use portico_model::{ClientId, ConnectionId, EndReason, PersonId, TenantId, TokenHash};
use portico_storage::connection::ending::{self, Ending};
use portico_storage::{Conn, Error, Pool, access_token, security_event};

/// Ends a connection. False: it had ended.
pub async fn end(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    reason: EndReason,
) -> Result<bool, Error> {
    let has_ended = ending::end(conn, tenant, connection, reason).await?;
    if has_ended {
        record(conn, tenant, connection, reason).await?;
    }
    Ok(has_ended)
}

/// Ends one of the person's own connections, at their wish. False: it is not theirs.
pub async fn disconnect(
    pool: &Pool,
    tenant: TenantId,
    person: PersonId,
    connection: ConnectionId,
) -> Result<bool, Error> {
    let mut tx = portico_storage::begin(pool).await?;
    let ending = ending::end_own(&mut tx, tenant, person, connection).await?;
    if ending == Ending::Ended {
        record(&mut tx, tenant, connection, EndReason::Person).await?;
    }
    portico_storage::commit(tx).await?;
    Ok(ending != Ending::NotTheirs)
}

/// A client gives a refresh token back: everything that hangs on its connection ends.
pub async fn revoke_refresh(
    conn: &mut Conn,
    tenant: TenantId,
    client: ClientId,
    token: &TokenHash,
) -> Result<(), Error> {
    let ended = ending::end_by_refresh_token(conn, tenant, token, client).await?;
    given_back(conn, tenant, ended).await
}

/// A client gives an access token back: that one ends, and where nothing could bring another, its
/// connection.
pub async fn revoke_access(
    conn: &mut Conn,
    tenant: TenantId,
    client: ClientId,
    token: &TokenHash,
) -> Result<(), Error> {
    if access_token::revoke(conn, tenant, token, client).await? {
        return Ok(());
    }
    let ended = ending::end_by_token(conn, tenant, token, Some(client)).await?;
    given_back(conn, tenant, ended).await
}

/// A token of an earlier system is given back, by whoever holds it, since nobody was told the id of
/// an imported client: its connection ends.
pub async fn revoke_foreign(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
) -> Result<(), Error> {
    let ended = ending::end_by_token(conn, tenant, token, None).await?;
    given_back(conn, tenant, ended).await
}

async fn given_back(
    conn: &mut Conn,
    tenant: TenantId,
    ended: Option<ConnectionId>,
) -> Result<(), Error> {
    match ended {
        Some(connection) => record(conn, tenant, connection, EndReason::Client).await,
        None => Ok(()),
    }
}

async fn record(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    reason: EndReason,
) -> Result<(), Error> {
    match reason.event() {
        Some(event) => security_event::record(conn, tenant, event, &[connection]).await,
        None => Ok(()),
    }
}
