//! Connections: a person, a client and a resource. Whether anything minted for one is valid hangs
//! on its row, which every statement here that writes also locks.

use portico_model::{ClientId, ConnectionId, EndReason, PersonId, Scopes, TenantId, TokenHash};
use time::OffsetDateTime;

use crate::{Conn, Result};

/// What a person agreed to.
#[derive(Debug)]
pub struct Consent<'c> {
    pub person: PersonId,
    pub client: ClientId,
    pub resource: &'c str,
    pub server: &'c str,
    pub redirect_uri: &'c str,
    pub scopes: &'c Scopes,
}

/// A connection as its owner sees it.
#[derive(Debug)]
pub struct Connection {
    pub id: ConnectionId,
    pub client: ClientId,
    pub client_name: Option<String>,
    pub server: String,
    pub resource: String,
    /// Where its client was sent back to, which is what is known about it.
    pub redirect_uri: String,
    pub scopes: Vec<String>,
    pub created_at: OffsetDateTime,
    pub last_used_at: Option<OffsetDateTime>,
}

/// `None`: the person is gone or disabled.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    consent: &Consent<'_>,
) -> Result<Option<ConnectionId>> {
    let row = sqlx::query!(
        r#"
        insert into connections
            (tenant_id, person_id, client_id, resource, server, redirect_uri, scopes)
        select p.tenant_id, p.person_id, $3, $4, $5, $6, $7
        from people p
        where p.tenant_id = $1 and p.person_id = $2 and p.disabled_at is null
        returning connection_id
        "#,
        tenant as TenantId,
        consent.person as PersonId,
        consent.client as ClientId,
        consent.resource,
        consent.server,
        consent.redirect_uri,
        &consent.scopes.to_words(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.connection_id))
}

/// The person's connections that have not ended and were used or may still be, newest first.
pub async fn of_person(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
) -> Result<Vec<Connection>> {
    let connections = sqlx::query_as!(
        Connection,
        r#"
        select c.connection_id as id, c.client_id as client, k.name as client_name, c.server,
               c.resource, c.redirect_uri, c.scopes, c.created_at, c.last_used_at
        from connections c
        join clients k using (tenant_id, client_id)
        where c.tenant_id = $1 and c.person_id = $2 and c.ended_at is null
        order by c.created_at desc, c.connection_id
        "#,
        tenant as TenantId,
        person as PersonId,
    )
    .fetch_all(conn)
    .await?;
    Ok(connections)
}

/// A connection that its owner may still ask about.
#[derive(Debug)]
pub struct Ended {
    pub id: ConnectionId,
    pub client_name: Option<String>,
    pub redirect_uri: String,
    pub ended_at: OffsetDateTime,
    pub reason: EndReason,
}

/// The person's connections that ended within thirty days, the last to end first.
pub async fn ended_of_person(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
) -> Result<Vec<Ended>> {
    let ended = sqlx::query_as!(
        Ended,
        r#"
        select c.connection_id as id, k.name as client_name, c.redirect_uri,
               c.ended_at as "ended_at!", c.end_reason as "reason!: EndReason"
        from connections c
        join clients k using (tenant_id, client_id)
        where c.tenant_id = $1 and c.person_id = $2
          and c.ended_at > portico_now() - interval '30 days'
        order by c.ended_at desc, c.connection_id
        limit 50
        "#,
        tenant as TenantId,
        person as PersonId,
    )
    .fetch_all(conn)
    .await?;
    Ok(ended)
}

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

/// Ends a connection of the person, at their wish. False: it is not theirs, or it has ended.
pub async fn end_own(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    id: ConnectionId,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update connections set ended_at = portico_now(), end_reason = $4
        where tenant_id = $1 and person_id = $2 and connection_id = $3 and ended_at is null
        "#,
        tenant as TenantId,
        person as PersonId,
        id as ConnectionId,
        EndReason::Person as EndReason,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends the connection that an access token belongs to, if it is the client's. False: there is no
/// such token, it is another client's, or its connection has ended.
pub async fn end_by_token(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    client: ClientId,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update connections c set ended_at = portico_now(), end_reason = $4
        from access_tokens a
        where a.tenant_id = $1 and a.token_hash = $2
          and c.tenant_id = a.tenant_id and c.connection_id = a.connection_id
          and c.client_id = $3 and c.ended_at is null
        "#,
        tenant as TenantId,
        token.as_bytes(),
        client as ClientId,
        EndReason::Client as EndReason,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes that the connections were used. Written at most once a minute for each, however often
/// it is called.
pub async fn touch(conn: &mut Conn, tenant: TenantId, ids: &[ConnectionId]) -> Result<()> {
    let ids: Vec<uuid::Uuid> = ids.iter().map(|id| *id.as_uuid()).collect();
    sqlx::query!(
        r#"
        update connections set last_used_at = portico_now()
        where tenant_id = $1 and connection_id = any($2)
          and (last_used_at is null or last_used_at < portico_now() - interval '1 minute')
        "#,
        tenant as TenantId,
        &ids,
    )
    .execute(conn)
    .await?;
    Ok(())
}
