//! Connections: a person, a client and a resource. Whether anything minted for one is valid hangs
//! on its row, which every statement here that writes also locks.

pub mod ending;

use std::time::Duration;

use portico_model::{ClientId, ConnectionId, EndReason, PersonId, Scopes, TenantId, WorkspaceId};
use time::OffsetDateTime;

use crate::{Conn, Result};

/// What a person agreed to.
#[derive(Debug)]
pub struct Consent<'c> {
    pub person: PersonId,
    pub client: ClientId,
    pub resource: &'c str,
    pub server: &'c str,
    /// The vanity host that the resource is at; `None` at the gateway's own origin.
    pub host: Option<&'c str>,
    /// Of the declaration that offered it.
    pub version: i32,
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
    /// The address that it was made for.
    pub resource: String,
    /// Where its client was sent back to, which is what is known about it.
    pub redirect_uri: String,
    pub scopes: Scopes,
    pub is_read_only: bool,
    /// Whether it may use each of the person's workspaces, also later ones.
    pub has_every_workspace: bool,
    /// Otherwise the names of those that it may use and the person is still a member of, and how
    /// many it was made for.
    pub workspaces: Vec<String>,
    pub chosen: i64,
    pub created_at: OffsetDateTime,
    pub last_used_at: Option<OffsetDateTime>,
    /// When it ends if it is not used before; `None`: not for that.
    pub lapses_at: Option<OffsetDateTime>,
    /// When it ends in any case; `None`: when it is ended.
    pub expires_at: Option<OffsetDateTime>,
}

/// What became of a wish to make a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    Made(ConnectionId),
    /// Another declaration is in force than the one that offered it, or the host is not served.
    Withdrawn,
    /// The person is gone or disabled, or is no member of a workspace that it is for.
    Refused,
}

impl Making {
    pub const fn made(self) -> Option<ConnectionId> {
        match self {
            Self::Made(connection) => Some(connection),
            Self::Withdrawn | Self::Refused => None,
        }
    }
}

/// The tenant's row and the host's are held until the transaction ends: whoever withdraws what is
/// offered comes before, and nothing is made, or after, and ends it. First the tenant's, as there.
pub async fn insert(conn: &mut Conn, tenant: TenantId, consent: &Consent<'_>) -> Result<Making> {
    let row = sqlx::query!(
        r#"
        with declared as (
            select tenant_id from tenants where tenant_id = $1 and version = $12 for share
        ), hosted as (
            select h.host
            from declared d
            join hosts h using (tenant_id)
            where h.host = $13 and h.server = $5 and h.proved_at is not null
            for share of h
        ), offered as (
            select tenant_id from declared
            where $13::text is null or exists (select from hosted)
        ), wanted as (
            select distinct workspace_id from unnest($8::uuid[]) as w (workspace_id)
        ), made as (
            insert into connections
                (tenant_id, person_id, client_id, resource, server, redirect_uri, scopes,
                 pinned_workspace_id, is_read_only, every_workspace, expires_at, host)
            select p.tenant_id, p.person_id, $3, $4, $5, $6, $7, $9, $10, $8::uuid[] is null,
                   portico_now() + make_interval(secs => $11), $13
            from offered o
            join people p using (tenant_id)
            where p.person_id = $2 and p.disabled_at is null
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
        select (select connection_id from made) as "connection: ConnectionId",
               exists (select from offered) as "is_offered!"
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
        consent.version,
        consent.host,
    )
    .fetch_one(conn)
    .await?;
    Ok(match (row.connection, row.is_offered) {
        (Some(connection), _) => Making::Made(connection),
        (None, true) => Making::Refused,
        (None, false) => Making::Withdrawn,
    })
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
               c.resource, c.redirect_uri, c.scopes, c.is_read_only,
               c.every_workspace and c.pinned_workspace_id is null as "has_every_workspace!",
               array(
                   select w.name
                   from (
                       select x.workspace_id from connection_workspaces x
                       where x.tenant_id = c.tenant_id and x.connection_id = c.connection_id
                       union
                       select c.pinned_workspace_id
                   ) a
                   join memberships m on m.tenant_id = c.tenant_id and m.person_id = c.person_id
                    and m.workspace_id = a.workspace_id
                   join workspaces w on w.tenant_id = c.tenant_id and w.workspace_id = a.workspace_id
                   order by lower(w.name) collate "C", w.workspace_id
               ) as "workspaces!",
               (
                   select count(*) from (
                       select x.workspace_id from connection_workspaces x
                       where x.tenant_id = c.tenant_id and x.connection_id = c.connection_id
                       union
                       select c.pinned_workspace_id where c.pinned_workspace_id is not null
                   ) a
               ) as "chosen!",
               c.created_at, c.last_used_at,
               nullif(least(life.until, c.expires_at), 'infinity') as lapses_at, c.expires_at
        from connections c
        join clients k using (tenant_id, client_id)
        cross join lateral (
            select max(t.until) as until
            from (
                select coalesce(a.expires_at, 'infinity') as until from access_tokens a
                where a.tenant_id = c.tenant_id and a.connection_id = c.connection_id
                  and a.revoked_at is null
                union all
                select r.expires_at from refresh_tokens r
                where r.tenant_id = c.tenant_id and r.connection_id = c.connection_id
                  and r.rotated_at is null
                union all
                select o.expires_at from authorization_codes o
                where o.tenant_id = c.tenant_id and o.connection_id = c.connection_id
                  and o.consumed_at is null
            ) t
        ) life
        where c.tenant_id = $1 and c.person_id = $2 and c.ended_at is null
          and life.until > portico_now()
          and (c.expires_at is null or c.expires_at > portico_now())
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

/// The person's connections that ended within thirty days, the last to end first. Also those whose
/// time ran out, which nobody wrote down.
pub async fn ended_of_person(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
) -> Result<Vec<Ended>> {
    let ended = sqlx::query_as!(
        Ended,
        r#"
        select c.connection_id as id, k.name as client_name, c.redirect_uri,
               gone.at as "ended_at!", coalesce(c.end_reason, $3) as "reason!: EndReason"
        from connections c
        join clients k using (tenant_id, client_id)
        cross join lateral (
            select coalesce(c.ended_at, least(max(t.until), c.expires_at)) as at,
                   c.ended_at is not null or max(t.until) is not null as was_used
            from (
                select coalesce(a.expires_at, 'infinity') as until from access_tokens a
                where a.tenant_id = c.tenant_id and a.connection_id = c.connection_id
                  and a.revoked_at is null
                union all
                select r.expires_at from refresh_tokens r
                where r.tenant_id = c.tenant_id and r.connection_id = c.connection_id
                  and r.rotated_at is null
            ) t
        ) gone
        where c.tenant_id = $1 and c.person_id = $2 and gone.was_used
          and gone.at > portico_now() - interval '30 days'
          and (c.ended_at is not null or gone.at <= portico_now())
        order by gone.at desc, c.connection_id
        limit 50
        "#,
        tenant as TenantId,
        person as PersonId,
        EndReason::Expired as EndReason,
    )
    .fetch_all(conn)
    .await?;
    Ok(ended)
}

/// Says that a connection was made elsewhere, and when.
pub async fn backdate(
    conn: &mut Conn,
    tenant: TenantId,
    id: ConnectionId,
    created_at: OffsetDateTime,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update connections set created_at = least(created_at, $3)
        where tenant_id = $1 and connection_id = $2
        "#,
        tenant as TenantId,
        id as ConnectionId,
        created_at,
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
