//! Customer organisations of a tenant.

use portico_model::{AccountId, AccountState, TenantId};

use crate::{Conn, Result};

/// Makes the account if the tenant has none of that name, and says which it is. An existing one
/// keeps its state.
pub async fn ensure(
    conn: &mut Conn,
    tenant: TenantId,
    name: &str,
    state: AccountState,
) -> Result<AccountId> {
    let row = sqlx::query!(
        r#"
        insert into accounts (tenant_id, name, state) values ($1, $2, $3)
        on conflict (tenant_id, name) do update set name = excluded.name
        returning account_id
        "#,
        tenant as TenantId,
        name,
        state as AccountState,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.account_id)
}

/// Approves or suspends; the next call into any of its workspaces obeys.
pub async fn set_state(
    conn: &mut Conn,
    tenant: TenantId,
    id: AccountId,
    state: AccountState,
) -> Result<bool> {
    let done = sqlx::query!(
        "update accounts set state = $3 where tenant_id = $1 and account_id = $2",
        tenant as TenantId,
        id as AccountId,
        state as AccountState,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
