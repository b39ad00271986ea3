//! Where a customer's data lives, and the aliases by which it may be named.

use portico_model::{AccountId, TenantId, WorkspaceId, WorkspaceState};

use crate::{Conn, Result};

pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    account: AccountId,
    name: &str,
) -> Result<WorkspaceId> {
    let row = sqlx::query!(
        r#"
        insert into workspaces (tenant_id, account_id, name) values ($1, $2, $3)
        returning workspace_id
        "#,
        tenant as TenantId,
        account as AccountId,
        name,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.workspace_id)
}

/// Gives the workspace a name that is unique in the tenant; false where the alias is taken.
pub async fn insert_alias(
    conn: &mut Conn,
    tenant: TenantId,
    id: WorkspaceId,
    alias: &str,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        insert into workspace_aliases (tenant_id, alias, workspace_id) values ($1, $2, $3)
        on conflict do nothing
        "#,
        tenant as TenantId,
        alias,
        id as WorkspaceId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn find_by_alias(
    conn: &mut Conn,
    tenant: TenantId,
    alias: &str,
) -> Result<Option<WorkspaceId>> {
    let row = sqlx::query!(
        r#"
        select workspace_id from workspace_aliases
        where tenant_id = $1 and lower(alias) = lower($2)
        "#,
        tenant as TenantId,
        alias,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.workspace_id))
}

/// Pauses, archives or revives; the next call into it obeys. Its memberships leave or rejoin the
/// index of current ones in the same statement.
pub async fn set_state(
    conn: &mut Conn,
    tenant: TenantId,
    id: WorkspaceId,
    state: WorkspaceState,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        with members as (
            update memberships set archived = ($3 = 'archived')
            where tenant_id = $1 and workspace_id = $2
        )
        update workspaces set state = $3 where tenant_id = $1 and workspace_id = $2
        "#,
        tenant as TenantId,
        id as WorkspaceId,
        state as WorkspaceState,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
