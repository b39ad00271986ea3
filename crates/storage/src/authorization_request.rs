//! Authorization requests that wait for a person. What the browser shows and sends never decides
//! anything: the request is here.

use std::time::Duration;

use portico_model::{ClientId, RequestId, Scopes, TenantId, TokenHash};

use crate::{Conn, Result};

/// A request that was found valid.
#[derive(Debug)]
pub struct Asked<'r> {
    pub browser: &'r TokenHash,
    pub client: ClientId,
    pub redirect_uri: &'r str,
    pub state: Option<&'r str>,
    pub scopes: &'r Scopes,
    pub challenge: &'r str,
    pub resource: &'r str,
    pub server: &'r str,
    /// By id or alias, as the address has it.
    pub pinned_workspace: Option<&'r str>,
    pub is_read_only: bool,
    pub ttl: Duration,
}

/// A stored request, with what its client registered.
#[derive(Debug)]
pub struct Request {
    pub id: RequestId,
    pub browser_hash: Vec<u8>,
    pub client: ClientId,
    pub client_name: Option<String>,
    pub registered_uris: Vec<String>,
    pub redirect_uri: String,
    pub state: Option<String>,
    pub scopes: Scopes,
    pub challenge: String,
    pub resource: String,
    pub server: String,
    pub pinned_workspace: Option<String>,
    pub is_read_only: bool,
    pub expired: bool,
    pub decided: bool,
}

pub async fn insert(conn: &mut Conn, tenant: TenantId, asked: &Asked<'_>) -> Result<RequestId> {
    let row = sqlx::query!(
        r#"
        insert into authorization_requests
            (tenant_id, browser_hash, client_id, redirect_uri, state, scopes, challenge, resource,
             server, pinned_workspace, is_read_only, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
                portico_now() + make_interval(secs => $12))
        returning request_id
        "#,
        tenant as TenantId,
        asked.browser.as_bytes(),
        asked.client as ClientId,
        asked.redirect_uri,
        asked.state,
        asked.scopes as &Scopes,
        asked.challenge,
        asked.resource,
        asked.server,
        asked.pinned_workspace,
        asked.is_read_only,
        asked.ttl.as_secs_f64(),
    )
    .fetch_one(conn)
    .await?;
    Ok(row.request_id)
}

pub async fn find(conn: &mut Conn, tenant: TenantId, id: RequestId) -> Result<Option<Request>> {
    let request = sqlx::query_as!(
        Request,
        r#"
        select r.request_id as id, r.browser_hash, r.client_id as client, c.name as client_name,
               c.redirect_uris as registered_uris, r.redirect_uri, r.state, r.scopes, r.challenge,
               r.resource, r.server, r.pinned_workspace, r.is_read_only,
               r.expires_at <= portico_now() as "expired!",
               r.decided_at is not null as "decided!"
        from authorization_requests r
        join clients c using (tenant_id, client_id)
        where r.tenant_id = $1 and r.request_id = $2
        "#,
        tenant as TenantId,
        id as RequestId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(request)
}

/// Takes the one answer that a request may have. False: it was answered, ran out, or belongs to
/// another browser.
pub async fn decide(
    conn: &mut Conn,
    tenant: TenantId,
    id: RequestId,
    browser: &TokenHash,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update authorization_requests set decided_at = portico_now()
        where tenant_id = $1 and request_id = $2 and browser_hash = $3
          and decided_at is null and expires_at > portico_now()
        "#,
        tenant as TenantId,
        id as RequestId,
        browser.as_bytes(),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes up to `most` that ran out a day ago, answered or not.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select tenant_id, request_id from authorization_requests
            where expires_at < portico_now() - interval '1 day'
            limit $1
            for update skip locked
        )
        delete from authorization_requests r using due
        where r.tenant_id = due.tenant_id and r.request_id = due.request_id
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
