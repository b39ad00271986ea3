//! OAuth clients as they registered themselves. A registration that comes again is the same row.

use portico_model::{ClientId, TenantId};
use time::OffsetDateTime;

use crate::{Conn, Result};

#[derive(Debug)]
pub struct Client {
    pub id: ClientId,
    pub name: Option<String>,
    pub redirect_uris: Vec<String>,
    pub created_at: OffsetDateTime,
}

/// What a client says about itself.
#[derive(Debug)]
pub struct Registration<'r> {
    /// Two registrations of one digest are one client.
    pub digest: [u8; 32],
    pub name: Option<&'r str>,
    pub redirect_uris: &'r [String],
    pub metadata: &'r serde_json::Value,
}

/// Makes the client unless the tenant has one of that digest; a known one costs no write, since
/// some clients register at every start.
pub async fn register(
    conn: &mut Conn,
    tenant: TenantId,
    registration: &Registration<'_>,
) -> Result<Client> {
    let client = sqlx::query_as!(
        Client,
        r#"
        with known as (
            select client_id, name, redirect_uris, created_at from clients
            where tenant_id = $1 and digest = $2
        ), made as (
            insert into clients (tenant_id, digest, name, redirect_uris, metadata)
            select $1, $2, $3, $4, $5
            where not exists (select from known)
            -- Another process made it since the look above: its row is wanted, not an error.
            on conflict (tenant_id, digest) do update set digest = excluded.digest
            returning client_id, name, redirect_uris, created_at
        )
        select client_id as "id!: ClientId", name, redirect_uris as "redirect_uris!",
               created_at as "created_at!"
        from (select * from known union all select * from made) clients
        "#,
        tenant as TenantId,
        &registration.digest[..],
        registration.name,
        registration.redirect_uris,
        registration.metadata,
    )
    .fetch_one(conn)
    .await?;
    Ok(client)
}

pub async fn find(conn: &mut Conn, tenant: TenantId, id: ClientId) -> Result<Option<Client>> {
    let client = sqlx::query_as!(
        Client,
        r#"
        select client_id as id, name, redirect_uris, created_at from clients
        where tenant_id = $1 and client_id = $2
        "#,
        tenant as TenantId,
        id as ClientId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(client)
}

/// Removes up to `most` that registered a month ago and that nobody ever allowed anything, nor is
/// being asked to.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select k.tenant_id, k.client_id from clients k
            where k.created_at < portico_now() - interval '30 days'
              and not exists (
                  select from connections c
                  where c.tenant_id = k.tenant_id and c.client_id = k.client_id
              )
              and not exists (
                  select from authorization_requests r
                  where r.tenant_id = k.tenant_id and r.client_id = k.client_id
              )
            limit $1
            for update of k skip locked
        )
        delete from clients k using due
        where k.tenant_id = due.tenant_id and k.client_id = due.client_id
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
