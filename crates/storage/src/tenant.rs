//! Tenants and the declarations that were applied to them.

use portico_model::{TenantId, TenantState};

use crate::{Conn, Result};

/// A tenant with the declaration that is in force.
#[derive(Debug)]
pub struct Tenant {
    pub id: TenantId,
    pub slug: String,
    pub state: TenantState,
    pub version: i32,
    pub document: String,
}

/// Makes the tenant if there is none of that name, and says which it is.
pub async fn ensure(conn: &mut Conn, slug: &str) -> Result<TenantId> {
    sqlx::query!("insert into tenants (slug) values ($1) on conflict do nothing", slug)
        .execute(&mut *conn)
        .await?;
    let row =
        sqlx::query!("select tenant_id from tenants where slug = $1", slug).fetch_one(conn).await?;
    Ok(row.tenant_id)
}

pub async fn find_by_slug(conn: &mut Conn, slug: &str) -> Result<Option<Tenant>> {
    let tenant = sqlx::query_as!(
        Tenant,
        r#"
        select t.tenant_id as id, t.slug, t.state, t.version, v.document
        from tenants t
        join tenant_versions v using (tenant_id, version)
        where t.slug = $1
        "#,
        slug,
    )
    .fetch_optional(conn)
    .await?;
    Ok(tenant)
}

/// What may have changed about a tenant since it was read.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub state: TenantState,
    /// Of the declaration in force; 0 where none was ever applied.
    pub version: i32,
}

pub async fn standing(conn: &mut Conn, slug: &str) -> Result<Option<Standing>> {
    let standing =
        sqlx::query_as!(Standing, "select state, version from tenants where slug = $1", slug)
            .fetch_optional(conn)
            .await?;
    Ok(standing)
}

/// Every tenant that has a declaration.
pub async fn all(conn: &mut Conn) -> Result<Vec<Tenant>> {
    let tenants = sqlx::query_as!(
        Tenant,
        r#"
        select t.tenant_id as id, t.slug, t.state, t.version, v.document
        from tenants t
        join tenant_versions v using (tenant_id, version)
        order by t.slug
        "#,
    )
    .fetch_all(conn)
    .await?;
    Ok(tenants)
}

/// Stores the document as the next version and puts it in force. The document in force, given
/// again, changes nothing; the version is answered either way. Until the transaction ends, nobody
/// connects to the tenant; what else refers to it goes on.
pub async fn apply(conn: &mut Conn, tenant: TenantId, document: &str) -> Result<i32> {
    let row = sqlx::query!(
        r#"
        with locked as (
            select tenant_id, version from tenants where tenant_id = $1 for no key update
        ), changed as (
            insert into tenant_versions (tenant_id, version, document)
            select l.tenant_id, l.version + 1, $2
            from locked l
            where not exists (
                select from tenant_versions v
                where v.tenant_id = l.tenant_id and v.version = l.version and v.document = $2
            )
            returning tenant_id, version
        ), raised as (
            update tenants t set version = c.version
            from changed c
            where t.tenant_id = c.tenant_id
            returning t.version
        )
        select coalesce((select version from raised), (select version from locked)) as "version!"
        "#,
        tenant as TenantId,
        document,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.version)
}

/// Suspends or resumes; the next call on every instance obeys.
pub async fn set_state(conn: &mut Conn, tenant: TenantId, state: TenantState) -> Result<bool> {
    let done = sqlx::query!(
        "update tenants set state = $2 where tenant_id = $1",
        tenant as TenantId,
        state as TenantState,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
