//! Hosts of tenants' own. One is served only while it is proved, and by one tenant.

use portico_model::{TenantId, TenantState};
use time::OffsetDateTime;

use crate::{Conn, Result};

/// The constraint that a second tenant's proof of one host breaks.
pub const PROVED_KEY: &str = "hosts_proved_key";

/// Keeps the hosts that the tenant declares, each with its server. One that it had before stays
/// proved.
pub async fn declare(
    conn: &mut Conn,
    tenant: TenantId,
    hosts: &[String],
    servers: &[String],
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into hosts (tenant_id, host, server)
        select $1, d.host, d.server from unnest($2::text[], $3::text[]) as d (host, server)
        on conflict (tenant_id, host) do update set server = excluded.server
        where hosts.server <> excluded.server
        "#,
        tenant as TenantId,
        hosts,
        servers,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets every other host of the tenant's, and its proof with it.
pub async fn drop_others(conn: &mut Conn, tenant: TenantId, hosts: &[String]) -> Result<()> {
    sqlx::query!(
        "delete from hosts where tenant_id = $1 and host <> all($2)",
        tenant as TenantId,
        hosts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// From now on the tenant serves the host. False: the tenant does not declare it. Breaks
/// `PROVED_KEY` where another tenant has proved it.
pub async fn prove(conn: &mut Conn, tenant: TenantId, host: &str) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update hosts set proved_at = coalesce(proved_at, portico_now())
        where tenant_id = $1 and host = $2
        "#,
        tenant as TenantId,
        host,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// From now on nobody serves the host. False: the tenant does not declare it.
pub async fn withdraw(conn: &mut Conn, tenant: TenantId, host: &str) -> Result<bool> {
    let done = sqlx::query!(
        "update hosts set proved_at = null where tenant_id = $1 and host = $2",
        tenant as TenantId,
        host,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The tenant that serves a host, and what may have changed about it.
#[derive(Debug)]
pub struct Standing {
    pub slug: String,
    pub state: TenantState,
    /// Of the declaration in force.
    pub version: i32,
}

/// `None`: nobody has proved the host.
pub async fn standing(conn: &mut Conn, host: &str) -> Result<Option<Standing>> {
    let standing = sqlx::query_as!(
        Standing,
        r#"
        select t.slug, t.state, t.version
        from hosts h
        join tenants t using (tenant_id)
        where h.host = $1 and h.proved_at is not null
        "#,
        host,
    )
    .fetch_optional(conn)
    .await?;
    Ok(standing)
}

/// A host, declared and perhaps proved.
#[derive(Debug)]
pub struct Host {
    pub host: String,
    pub slug: String,
    pub server: String,
    pub created_at: OffsetDateTime,
    pub proved_at: Option<OffsetDateTime>,
}

/// Every tenant's, or one's.
pub async fn all(conn: &mut Conn, tenant: Option<TenantId>) -> Result<Vec<Host>> {
    let hosts = sqlx::query_as!(
        Host,
        r#"
        select h.host, t.slug, h.server, h.created_at, h.proved_at
        from hosts h
        join tenants t using (tenant_id)
        where $1::uuid is null or h.tenant_id = $1
        order by h.host, t.slug
        "#,
        tenant as Option<TenantId>,
    )
    .fetch_all(conn)
    .await?;
    Ok(hosts)
}
