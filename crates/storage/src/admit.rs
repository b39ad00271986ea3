//! The statement that every call begins with: the token, its connection, person and tenant, and
//! the one workspace that the call names, as they are at this moment.
//!
//! There are four texts, one per kind of reference, since unused branches of a joint one cost as
//! much as its work. None of them reads the roster but for the text that names no workspace, and
//! that one stops after two rows. Verdicts are reached by the callers.

use portico_model::{
    AccountState, ClientId, ConnectionId, PersonId, Role, Scopes, TenantId, TenantState, TokenHash,
    WorkspaceId, WorkspaceState,
};
use time::OffsetDateTime;

use crate::{Conn, Pool, Result, pool};

/// How the call says which workspace it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'r> {
    /// The call is about none.
    Unneeded,
    /// It does not say: fine where the person has one usable workspace.
    Sole,
    Id(WorkspaceId),
    Alias(&'r str),
}

/// What stands behind a token at the moment of asking.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The database's clock, which decides what has expired.
    pub now: OffsetDateTime,
    pub tenant_state: TenantState,
    pub tenant_version: i32,
    pub connection: ConnectionId,
    pub person: PersonId,
    pub client: ClientId,
    pub resource: String,
    pub scopes: Scopes,
    /// The workspace that the address is for, where it is for one.
    pub pinned: Option<WorkspaceId>,
    pub token_expires_at: Option<OffsetDateTime>,
    pub connection_expires_at: Option<OffsetDateTime>,
    pub ended_at: Option<OffsetDateTime>,
    pub disabled_at: Option<OffsetDateTime>,
    /// The workspace referred to, if the person is a member of it; for `Sole`, up to two usable
    /// ones.
    pub found: Vec<Found>,
}

/// A workspace that the person is a member of.
#[derive(Clone, Debug)]
pub struct Found {
    pub workspace: WorkspaceId,
    pub name: String,
    pub role: Role,
    pub workspace_state: WorkspaceState,
    pub account_state: AccountState,
    /// Whether the connection may go there: its address and its person's choice both allow it.
    pub chosen: bool,
}

/// `None`: the tenant has no such token. A connection found dead is replaced and asked again,
/// which a read may be.
pub async fn admit(
    pool: &Pool,
    tenant: TenantId,
    token: &TokenHash,
    reference: Reference<'_>,
) -> Result<Option<Admission>> {
    let rows = pool::retrying(pool, || async {
        let mut conn = pool::take(pool).await?;
        ask(&mut conn, tenant, token, reference).await
    });
    Ok(fold(rows.await?))
}

async fn ask(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    reference: Reference<'_>,
) -> Result<Vec<Row>> {
    match reference {
        Reference::Unneeded => unneeded(conn, tenant, token).await,
        Reference::Sole => sole(conn, tenant, token).await,
        Reference::Id(id) => by_id(conn, tenant, token, id).await,
        Reference::Alias(alias) => by_alias(conn, tenant, token, alias).await,
    }
}

struct Row {
    now: OffsetDateTime,
    tenant_state: TenantState,
    tenant_version: i32,
    connection: ConnectionId,
    person: PersonId,
    client: ClientId,
    resource: String,
    scopes: Scopes,
    pinned: Option<WorkspaceId>,
    token_expires_at: Option<OffsetDateTime>,
    connection_expires_at: Option<OffsetDateTime>,
    ended_at: Option<OffsetDateTime>,
    disabled_at: Option<OffsetDateTime>,
    workspace: Option<WorkspaceId>,
    name: Option<String>,
    role: Option<Role>,
    workspace_state: Option<WorkspaceState>,
    account_state: Option<AccountState>,
    chosen: Option<bool>,
}

impl Row {
    fn found(&mut self) -> Option<Found> {
        Some(Found {
            workspace: self.workspace?,
            name: self.name.take()?,
            role: self.role?,
            workspace_state: self.workspace_state?,
            account_state: self.account_state?,
            chosen: self.chosen?,
        })
    }
}

fn fold(mut rows: Vec<Row>) -> Option<Admission> {
    let found = rows.iter_mut().filter_map(Row::found).collect();
    let row = rows.pop()?;
    Some(Admission {
        now: row.now,
        tenant_state: row.tenant_state,
        tenant_version: row.tenant_version,
        connection: row.connection,
        person: row.person,
        client: row.client,
        resource: row.resource,
        scopes: row.scopes,
        pinned: row.pinned,
        token_expires_at: row.token_expires_at,
        connection_expires_at: row.connection_expires_at,
        ended_at: row.ended_at,
        disabled_at: row.disabled_at,
        found,
    })
}

/// The part that the four texts share, around the look-up of the workspace.
macro_rules! admit {
    ($lookup:literal, $($parameter:expr),+) => {
        sqlx::query_as!(
            Row,
            r#"
            select portico_now() as "now!", t.state as tenant_state, t.version as tenant_version,
                   c.connection_id as connection, c.person_id as person, c.client_id as client,
                   c.resource, c.scopes, c.pinned_workspace_id as "pinned: WorkspaceId",
                   a.expires_at as token_expires_at, c.expires_at as connection_expires_at,
                   c.ended_at, p.disabled_at,
                   f.workspace_id as "workspace?: WorkspaceId", f.name as "name?",
                   f.role as "role?: Role", f.workspace_state as "workspace_state?: WorkspaceState",
                   f.account_state as "account_state?: AccountState",
                   (c.pinned_workspace_id is null or c.pinned_workspace_id = f.workspace_id)
                   and (c.every_workspace or exists (
                       select from connection_workspaces x
                       where x.tenant_id = $2 and x.connection_id = c.connection_id
                         and x.workspace_id = f.workspace_id
                   )) as "chosen?"
            from access_tokens a
            join tenants t on t.tenant_id = a.tenant_id
            join connections c on c.tenant_id = a.tenant_id and c.connection_id = a.connection_id
            join people p on p.tenant_id = c.tenant_id and p.person_id = c.person_id
            left join lateral (
            "# + $lookup + r#"
            ) f on true
            where a.token_hash = $1 and a.tenant_id = $2 and a.revoked_at is null
            "#,
            $($parameter),+
        )
    };
}

async fn unneeded(conn: &mut Conn, tenant: TenantId, token: &TokenHash) -> Result<Vec<Row>> {
    let rows = admit!(
        r#"
        select null::uuid as workspace_id, null::text as name, null::text as role,
               null::text as workspace_state, null::text as account_state
        "#,
        token.as_bytes(),
        tenant as TenantId
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

async fn sole(conn: &mut Conn, tenant: TenantId, token: &TokenHash) -> Result<Vec<Row>> {
    let rows = admit!(
        r#"
        select m.workspace_id, w.name, m.role, w.state as workspace_state,
               k.state as account_state
        from (
            select m.workspace_id, m.role from memberships m
            where m.tenant_id = $2 and m.person_id = c.person_id and not m.archived
            offset 0
        ) m
        join workspaces w on w.tenant_id = $2 and w.workspace_id = m.workspace_id
        join accounts k on k.tenant_id = $2 and k.account_id = w.account_id
        where w.state = 'live' and k.state = 'approved'
          -- Before the limit, which would otherwise stop at those that the connection may not use.
          and (c.pinned_workspace_id is null or c.pinned_workspace_id = m.workspace_id)
          and (c.every_workspace or exists (
              select from connection_workspaces x
              where x.tenant_id = $2 and x.connection_id = c.connection_id
                and x.workspace_id = m.workspace_id
          ))
        limit 2
        "#,
        token.as_bytes(),
        tenant as TenantId
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

async fn by_id(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    id: WorkspaceId,
) -> Result<Vec<Row>> {
    let rows = admit!(
        r#"
        select m.workspace_id, w.name, m.role, w.state as workspace_state,
               k.state as account_state
        from memberships m
        join workspaces w on w.tenant_id = $2 and w.workspace_id = m.workspace_id
        join accounts k on k.tenant_id = $2 and k.account_id = w.account_id
        where m.tenant_id = $2 and m.person_id = c.person_id and m.workspace_id = $3
        -- Fenced, or the planner may start from the workspace's members.
        offset 0
        "#,
        token.as_bytes(),
        tenant as TenantId,
        id as WorkspaceId
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

async fn by_alias(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    alias: &str,
) -> Result<Vec<Row>> {
    let rows = admit!(
        r#"
        select m.workspace_id, w.name, m.role, w.state as workspace_state,
               k.state as account_state
        from (
            -- Fenced, or the planner may start from the person's roster.
            select x.workspace_id from workspace_aliases x
            where x.tenant_id = $2 and lower(x.alias) = lower($3)
            offset 0
        ) x
        join memberships m on m.tenant_id = $2 and m.person_id = c.person_id
                          and m.workspace_id = x.workspace_id
        join workspaces w on w.tenant_id = $2 and w.workspace_id = m.workspace_id
        join accounts k on k.tenant_id = $2 and k.account_id = w.account_id
        -- Fenced, or it may start from the workspace's members.
        offset 0
        "#,
        token.as_bytes(),
        tenant as TenantId,
        alias
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}
