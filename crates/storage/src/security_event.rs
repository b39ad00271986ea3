//! What happened to connections, for those who have to find out later. Each is written in the
//! transaction of what it tells.

use portico_model::{ConnectionId, SecurityEvent, TenantId};

use crate::{Conn, Result};

pub async fn record(
    conn: &mut Conn,
    tenant: TenantId,
    event: SecurityEvent,
    connections: &[ConnectionId],
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into security_events (tenant_id, event, connection_id, person_id, client_id)
        select tenant_id, $2, connection_id, person_id, client_id
        from connections
        where tenant_id = $1 and connection_id = any($3)
        "#,
        tenant as TenantId,
        event as SecurityEvent,
        connections as &[ConnectionId],
    )
    .execute(conn)
    .await?;
    Ok(())
}
