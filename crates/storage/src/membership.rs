//! Which person is in which workspace, and the person's roster.

use portico_model::{
    AccountState, ConnectionId, PersonId, Role, TenantId, WorkspaceId, WorkspaceState,
};

use crate::admit::Found;
use crate::{Conn, Result};

/// A workspace of a person's roster.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    pub aliases: Vec<String>,
    pub account_name: String,
    pub role: Role,
    pub workspace_state: WorkspaceState,
    pub account_state: AccountState,
}

/// Makes the person a member, or changes their role.
pub async fn upsert(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    workspace: WorkspaceId,
    role: Role,
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into memberships (tenant_id, person_id, workspace_id, role, archived)
        select $1, $2, w.workspace_id, $4, w.state = 'archived'
        from workspaces w
        where w.tenant_id = $1 and w.workspace_id = $3
        on conflict (tenant_id, person_id, workspace_id) do update set role = excluded.role
        "#,
        tenant as TenantId,
        person as PersonId,
        workspace as WorkspaceId,
        role as Role,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends a membership; the person's next call into the workspace is refused.
pub async fn remove(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    workspace: WorkspaceId,
) -> Result<bool> {
    let done = sqlx::query!(
        "delete from memberships where tenant_id = $1 and person_id = $2 and workspace_id = $3",
        tenant as TenantId,
        person as PersonId,
        workspace as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Workspaces of a roster in order of name, whichever memberships `m` they are read from.
macro_rules! roster {
    ($memberships:literal, $($parameter:expr),+) => {
        sqlx::query_as!(
            Workspace,
            r#"
            select w.workspace_id as id, w.name, k.name as account_name, m.role,
                   w.state as workspace_state, k.state as account_state,
                   array(
                       select a.alias from workspace_aliases a
                       where a.tenant_id = w.tenant_id and a.workspace_id = w.workspace_id
                       order by lower(a.alias) collate "C"
                   ) as "aliases!"
            from memberships m
            join workspaces w on w.tenant_id = m.tenant_id and w.workspace_id = m.workspace_id
            join accounts k on k.tenant_id = w.tenant_id and k.account_id = w.account_id
            "# + $memberships + r#"
            order by lower(w.name) collate "C", lower(k.name) collate "C", w.workspace_id
            "#,
            $($parameter),+
        )
    };
}

/// Every workspace that is not archived, in order of name. Costs as much as the person has
/// workspaces: for lists that people read, never for a check.
pub async fn roster(conn: &mut Conn, tenant: TenantId, person: PersonId) -> Result<Vec<Workspace>> {
    let rows = roster!(
        "where m.tenant_id = $1 and m.person_id = $2 and not m.archived",
        tenant as TenantId,
        person as PersonId
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// Those of its person's workspaces that the connection may use, in the order of `roster` and at
/// its cost.
pub async fn of_connection(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
) -> Result<Vec<Workspace>> {
    let rows = roster!(
        r#"
        join connections c on c.tenant_id = m.tenant_id and c.person_id = m.person_id
        where c.tenant_id = $1 and c.connection_id = $2 and not m.archived
          and (c.pinned_workspace_id is null or c.pinned_workspace_id = m.workspace_id)
          and (c.every_workspace or exists (
              select from connection_workspaces x
              where x.tenant_id = c.tenant_id and x.connection_id = c.connection_id
                and x.workspace_id = m.workspace_id
          ))
        "#,
        tenant as TenantId,
        connection as ConnectionId
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// The workspaces of that name of the connection's person, two at most: enough to know that a name
/// is ambiguous. Those that the connection may use come first.
pub async fn by_name(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    name: &str,
) -> Result<Vec<Found>> {
    let rows = sqlx::query_as!(
        Found,
        r#"
        select f.workspace as "workspace!", f.name as "name!", f.role as "role!: Role",
               f.workspace_state as "workspace_state!: WorkspaceState",
               f.account_state as "account_state!: AccountState", f.chosen as "chosen!"
        from (
            select w.workspace_id as workspace, w.name, m.role, w.state as workspace_state,
                   k.state as account_state, k.name as account_name,
                   (c.pinned_workspace_id is null or c.pinned_workspace_id = m.workspace_id)
                   and (c.every_workspace or exists (
                       select from connection_workspaces x
                       where x.tenant_id = $1 and x.connection_id = c.connection_id
                         and x.workspace_id = m.workspace_id
                   )) as chosen
            from connections c
            join memberships m on m.tenant_id = c.tenant_id and m.person_id = c.person_id
            join workspaces w on w.tenant_id = m.tenant_id and w.workspace_id = m.workspace_id
            join accounts k on k.tenant_id = w.tenant_id and k.account_id = w.account_id
            where c.tenant_id = $1 and c.connection_id = $2 and lower(w.name) = lower($3)
        ) f
        order by f.chosen desc, (f.workspace_state = 'live' and f.account_state = 'approved') desc,
                 lower(f.account_name) collate "C", f.workspace
        limit 2
        "#,
        tenant as TenantId,
        connection as ConnectionId,
        name,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}
