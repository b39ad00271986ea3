//! Which person is in which workspace, and the person's roster.

use portico_model::{AccountState, PersonId, Role, TenantId, WorkspaceId, WorkspaceState};

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

/// Every workspace that is not archived, in order of name. Costs as much as the person has
/// workspaces: for lists that people read, never for a check.
pub async fn roster(conn: &mut Conn, tenant: TenantId, person: PersonId) -> Result<Vec<Workspace>> {
    let rows = sqlx::query_as!(
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
        join workspaces w using (tenant_id, workspace_id)
        join accounts k using (tenant_id, account_id)
        where m.tenant_id = $1 and m.person_id = $2 and not m.archived
        order by lower(w.name) collate "C", lower(k.name) collate "C", w.workspace_id
        "#,
        tenant as TenantId,
        person as PersonId,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

/// The person's workspaces of that name, two at most: enough to know that a name is ambiguous.
/// Usable ones come first.
pub async fn by_name(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    name: &str,
) -> Result<Vec<Found>> {
    let rows = sqlx::query_as!(
        Found,
        r#"
        select w.workspace_id as workspace, w.name, m.role,
               w.state as workspace_state, k.state as account_state
        from memberships m
        join workspaces w using (tenant_id, workspace_id)
        join accounts k using (tenant_id, account_id)
        where m.tenant_id = $1 and m.person_id = $2 and lower(w.name) = lower($3)
        order by (w.state = 'live' and k.state = 'approved') desc, lower(k.name) collate "C",
                 w.workspace_id
        limit 2
        "#,
        tenant as TenantId,
        person as PersonId,
        name,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}
