//! Connections: a person, a client and a resource. Whether anything minted for one is valid hangs
//! on its row, which every statement here that writes also locks.

use std::time::Duration;

use portico_model::{
    ClientId, ConnectionId, EndReason, PersonId, Scopes, TenantId, TokenHash, WorkspaceId,
};
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
    /// The workspace that the address is for, where it is for one.
    pub pinned: Option<WorkspaceId>,
    pub is_read_only: bool,
    /// The ones that the person chose; `None`: every one of theirs, also later ones.
    pub workspaces: Option<&'c [WorkspaceId]>,
    /// The longest that it lives; `None`: until it is ended.
    pub ttl: Option<Duration>,
}

/// A connection as its owner sees it.
#[derive(Debug)]
pub struct Connection {
    pub id: ConnectionId,
    pub client: ClientId,
    pub client_name: Option<String>,
    pub server: String,
    /// Where its client was sent back to, which is what is known about it.
    pub redirect_uri: String,
    pub scopes: Scopes,
    pub created_at: OffsetDateTime,
    pub last_used_at: Option<OffsetDateTime>,
}

/// `None`: the person is gone or disabled, or is no member of a workspace that it is for.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    consent: &Consent<'_>,
) -> Result<Option<ConnectionId>> {
    let row = sqlx::query!(
        r#"
        with wanted as (
            select distinct workspace_id from unnest($8::uuid[]) as w (workspace_id)
        ), made as (
            insert into connections
                (tenant_id, person_id, client_id, resource, server, redirect_uri, scopes,
                 pinned_workspace_id, is_read_only, every_workspace, expires_at)
            select p.tenant_id, p.person_id, $3, $4, $5, $6, $7, $9, $10, $8::uuid[] is null,
                   portico_now() + make_interval(secs => $11)
            from people p
            where p.tenant_id = $1 and p.person_id = $2 and p.disabled_at is null
              and not exists (
                  select from (
                      select workspace_id from wanted
                      union all
                      select $9::uuid where $9 is not null
                  ) w
                  where not exists (
                      select from memberships m
                      where m.tenant_id = $1 and m.person_id = $2
                        and m.workspace_id = w.workspace_id
                  )
              )
            returning connection_id
        ), chosen as (
            insert into connection_workspaces (tenant_id, connection_id, workspace_id)
            select $1, made.connection_id, wanted.workspace_id from made, wanted
        )
        select connection_id from made
        "#,
        tenant as TenantId,
        consent.person as PersonId,
        consent.client as ClientId,
        consent.resource,
        consent.server,
        consent.redirect_uri,
        consent.scopes as &Scopes,
        consent.workspaces as Option<&[WorkspaceId]>,
        consent.pinned as Option<WorkspaceId>,
        consent.is_read_only,
        consent.ttl.map(|ttl| ttl.as_secs_f64()),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.connection_id))
}

/// The person's connections that can still be used, newest first: those with a token that lives,
/// or a code that may become one. What an app never finished, or let run out, is not among them.
pub async fn of_person(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
) -> Result<Vec<Connection>> {
    let connections = sqlx::query_as!(
        Connection,
        r#"
        select c.connection_id as id, c.client_id as client, k.name as client_name, c.server,
               c.redirect_uri, c.scopes, c.created_at, c.last_used_at
        from connections c
        join clients k using (tenant_id, client_id)
        where c.tenant_id = $1 and c.person_id = $2 and c.ended_at is null
          and (
              exists (
                  select from access_tokens a
                  where a.tenant_id = c.tenant_id and a.connection_id = c.connection_id
                    and (a.expires_at is null or a.expires_at > portico_now())
              ) or exists (
                  select from authorization_codes a
                  where a.tenant_id = c.tenant_id and a.connection_id = c.connection_id
                    and a.consumed_at is null and a.expires_at > portico_now()
              )
          )
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

/// Ends a connection of the person, at their wish. False: it is not theirs. One that has ended
/// before stays as it is.
pub async fn end_own(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    id: ConnectionId,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update connections
        set ended_at = coalesce(ended_at, portico_now()), end_reason = coalesce(end_reason, $4)
        where tenant_id = $1 and person_id = $2 and connection_id = $3
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

/// Marks connections as used now, each at most once a minute. A connection that someone else has
/// locked is left for the next time.
pub async fn touch(conn: &mut Conn, used: &[(TenantId, ConnectionId)]) -> Result<()> {
    let tenants: Vec<TenantId> = used.iter().map(|(tenant, _)| *tenant).collect();
    let connections: Vec<ConnectionId> = used.iter().map(|(_, connection)| *connection).collect();
    sqlx::query!(
        r#"
        with due as (
            select c.tenant_id, c.connection_id
            from unnest($1::uuid[], $2::uuid[]) as used (tenant_id, connection_id)
            join connections c using (tenant_id, connection_id)
            where c.last_used_at is null
               or c.last_used_at < portico_now() - interval '1 minute'
            order by c.tenant_id, c.connection_id
            for no key update of c skip locked
        )
        update connections c set last_used_at = portico_now()
        from due
        where c.tenant_id = due.tenant_id and c.connection_id = due.connection_id
        "#,
        &tenants as &[TenantId],
        &connections as &[ConnectionId],
    )
    .execute(conn)
    .await?;
    Ok(())
}
