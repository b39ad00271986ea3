//! Endings. Each is one conditional statement, so that of several at once one counts; what hangs on
//! the connection asks its row.

use portico_model::{ClientId, ConnectionId, EndReason, PersonId, TenantId, TokenHash};

use crate::{Conn, Result};

/// Ends a connection. False: there is none, or it has ended before.
pub async fn end(
    conn: &mut Conn,
    tenant: TenantId,
    id: ConnectionId,
    reason: EndReason,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update connections set ended_at = portico_now(), end_reason = $3
        where tenant_id = $1 and connection_id = $2 and ended_at is null
        "#,
        tenant as TenantId,
        id as ConnectionId,
        reason as EndReason,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What became of a person's wish to end a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Ended,
    /// It stays as it was.
    EndedBefore,
    NotTheirs,
}

/// Ends a connection of the person, at their wish.
pub async fn end_own(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    id: ConnectionId,
) -> Result<Ending> {
    let row = sqlx::query!(
        r#"
        with ended as (
            update connections set ended_at = portico_now(), end_reason = $4
            where tenant_id = $1 and person_id = $2 and connection_id = $3 and ended_at is null
            returning connection_id
        )
        select exists (select from ended) as "has_ended!", exists (
            select from connections
            where tenant_id = $1 and person_id = $2 and connection_id = $3
        ) as "is_theirs!"
        "#,
        tenant as TenantId,
        person as PersonId,
        id as ConnectionId,
        EndReason::Person as EndReason,
    )
    .fetch_one(conn)
    .await?;
    Ok(match (row.has_ended, row.is_theirs) {
        (true, _) => Ending::Ended,
        (false, true) => Ending::EndedBefore,
        (false, false) => Ending::NotTheirs,
    })
}

/// Ends the connection that an access token belongs to, if nothing renews it and it is the client's,
/// or whoever's where none is named. `None`: there is no such token, it is another client's, or its
/// connection has ended.
pub async fn end_by_token(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    client: Option<ClientId>,
) -> Result<Option<ConnectionId>> {
    let row = sqlx::query!(
        r#"
        update connections c set ended_at = portico_now(), end_reason = $4
        from access_tokens a
        where a.tenant_id = $1 and a.token_hash = $2
          and c.tenant_id = a.tenant_id and c.connection_id = a.connection_id
          and ($3::uuid is null or c.client_id = $3) and c.ended_at is null
          and not exists (
              select from refresh_tokens r
              where r.tenant_id = a.tenant_id and r.connection_id = a.connection_id
          )
        returning c.connection_id
        "#,
        tenant as TenantId,
        token.as_bytes(),
        client as Option<ClientId>,
        EndReason::Client as EndReason,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.connection_id))
}

/// Ends the connection that a refresh token belongs to, rotated or not, if it is the client's.
/// `None`: as above.
pub async fn end_by_refresh_token(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    client: ClientId,
) -> Result<Option<ConnectionId>> {
    let row = sqlx::query!(
        r#"
        update connections c set ended_at = portico_now(), end_reason = $4
        from refresh_tokens r
        where r.tenant_id = $1 and r.token_hash = $2
          and c.tenant_id = r.tenant_id and c.connection_id = r.connection_id
          and c.client_id = $3 and c.ended_at is null
        returning c.connection_id
        "#,
        tenant as TenantId,
        token.as_bytes(),
        client as ClientId,
        EndReason::Client as EndReason,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.connection_id))
}

/// Ends each connection to a server that is not among these, if some are named, or at a host that
/// is not proved any more, or not the server's.
pub async fn end_unserved(
    conn: &mut Conn,
    tenant: TenantId,
    servers: Option<&[String]>,
) -> Result<Vec<ConnectionId>> {
    let rows = sqlx::query!(
        r#"
        update connections c set ended_at = portico_now(), end_reason = $3
        where c.tenant_id = $1 and c.ended_at is null
          and (
              c.server <> all($2)
              or (c.host is not null and not exists (
                  select from hosts h
                  where h.tenant_id = c.tenant_id and h.host = c.host and h.server = c.server
                    and h.proved_at is not null
              ))
          )
        returning c.connection_id
        "#,
        tenant as TenantId,
        servers as Option<&[String]>,
        EndReason::ServerRemoved as EndReason,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| row.connection_id).collect())
}
