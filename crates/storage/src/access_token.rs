//! Access tokens, by their hash. Whether one is good is asked of its connection, by `admit`.

use std::time::Duration;

use portico_model::{ConnectionId, TenantId, TokenHash};

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
