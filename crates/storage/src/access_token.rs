//! Access tokens, by their hash. Whether one is good is asked of its connection, by `admit`.

use std::time::Duration;

use portico_model::{ClientId, ConnectionId, TenantId, TokenHash};

use crate::{Conn, Result};

/// Without a `ttl` it lives as long as its connection.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    connection: ConnectionId,
    ttl: Option<Duration>,
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into access_tokens (token_hash, tenant_id, connection_id, expires_at)
        values ($1, $2, $3, portico_now() + make_interval(secs => $4))
        "#,
        token.as_bytes(),
        tenant as TenantId,
        connection as ConnectionId,
        ttl.map(|ttl| ttl.as_secs_f64()),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes a token of the client's, alone, if its connection also has what renews it. False: there
/// is no such token.
pub async fn revoke(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    client: ClientId,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update access_tokens a set revoked_at = portico_now()
        from connections c
        where a.tenant_id = $1 and a.token_hash = $2 and a.revoked_at is null
          and c.tenant_id = a.tenant_id and c.connection_id = a.connection_id
          and c.client_id = $3
          and exists (
              select from refresh_tokens r
              where r.tenant_id = a.tenant_id and r.connection_id = a.connection_id
          )
        "#,
        tenant as TenantId,
        token.as_bytes(),
        client as ClientId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What the token of that hash is or was for, good or not. `None`: the tenant has had none.
pub async fn find_resource(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
) -> Result<Option<String>> {
    let row = sqlx::query!(
        r#"
        select c.resource
        from access_tokens a
        join connections c using (tenant_id, connection_id)
        where a.tenant_id = $1 and a.token_hash = $2
        "#,
        tenant as TenantId,
        token.as_bytes(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.resource))
}

/// Whether the role that we are reads no token: row level security is on, and the role neither
/// owns the table nor is above it. False before there is a table.
pub async fn is_closed(conn: &mut Conn) -> Result<bool> {
    let row = sqlx::query!(
        r#"
        select coalesce(row_security_active(to_regclass('access_tokens')::oid), false) as "is_closed!"
        "#
    )
    .fetch_one(conn)
    .await?;
    Ok(row.is_closed)
}

/// Removes up to `most` that have been of no use for a month.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select token_hash from access_tokens
            where least(expires_at, revoked_at) < portico_now() - interval '30 days'
            limit $1
            for update skip locked
        )
        delete from access_tokens a using due where a.token_hash = due.token_hash
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
