//! Authorization codes, by their hash. Each is good for one exchange.

use std::time::Duration;

use portico_model::{ClientId, ConnectionId, Scopes, TenantId, TenantState, TokenHash};

use crate::{Conn, Result, Taking};

/// What a code was issued for.
#[derive(Debug)]
pub struct Issued<'c> {
    pub connection: ConnectionId,
    pub redirect_uri: &'c str,
    pub challenge: &'c str,
    pub ttl: Duration,
}

/// A code with its connection, both locked until the transaction ends.
#[derive(Debug)]
pub struct Code {
    pub connection: ConnectionId,
    pub client: ClientId,
    pub resource: String,
    pub server: String,
    pub scopes: Scopes,
    pub redirect_uri: String,
    pub challenge: String,
    /// It was exchanged so long ago that a repetition is no lost answer.
    pub long_consumed: bool,
}

/// A code that so many wrong verifiers were presented with is worth nothing.
const WRONG_VERIFIERS: i32 = 5;

pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    code: &TokenHash,
    issued: &Issued<'_>,
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into authorization_codes
            (code_hash, tenant_id, connection_id, redirect_uri, challenge, expires_at)
        values ($1, $2, $3, $4, $5, portico_now() + make_interval(secs => $6))
        "#,
        code.as_bytes(),
        tenant as TenantId,
        issued.connection as ConnectionId,
        issued.redirect_uri,
        issued.challenge,
        issued.ttl.as_secs_f64(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the code and its connection, so that whatever is decided next is decided about rows that
/// nobody else is writing.
pub async fn lock(
    conn: &mut Conn,
    tenant: TenantId,
    code: &TokenHash,
    replay_after: Duration,
) -> Result<Option<Code>> {
    let code = sqlx::query_as!(
        Code,
        r#"
        select c.connection_id as connection, c.client_id as client, c.resource, c.server,
               c.scopes, a.redirect_uri, a.challenge,
               coalesce(a.consumed_at < portico_now() - make_interval(secs => $3), false)
                   as "long_consumed!"
        from authorization_codes a
        join connections c using (tenant_id, connection_id)
        where a.tenant_id = $1 and a.code_hash = $2
        for update of a, c
        "#,
        tenant as TenantId,
        code.as_bytes(),
        replay_after.as_secs_f64(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(code)
}

/// Takes the code out of circulation; this is the one statement that decides who has it.
pub async fn take(conn: &mut Conn, tenant: TenantId, code: &TokenHash) -> Result<Taking> {
    let row = sqlx::query!(
        r#"
        with taken as (
            update authorization_codes a set consumed_at = portico_now()
            from connections c
            join people p using (tenant_id, person_id)
            join tenants t using (tenant_id)
            where a.tenant_id = $1 and a.code_hash = $2 and a.consumed_at is null
              and a.expires_at > portico_now() and a.wrong_verifiers < $3
              and c.tenant_id = a.tenant_id and c.connection_id = a.connection_id
              and c.ended_at is null and p.disabled_at is null and t.state = $4
            returning a.code_hash
        )
        select t.state, exists (select from taken) as "is_taken!"
        from tenants t
        where t.tenant_id = $1
        "#,
        tenant as TenantId,
        code.as_bytes(),
        WRONG_VERIFIERS,
        TenantState::Live as TenantState,
    )
    .fetch_one(conn)
    .await?;
    Ok(Taking::of(row.is_taken.then_some(()), row.state))
}

/// Counts a wrong verifier against a code that nobody has taken.
pub async fn count_wrong_verifier(
    conn: &mut Conn,
    tenant: TenantId,
    code: &TokenHash,
) -> Result<()> {
    sqlx::query!(
        r#"
        update authorization_codes set wrong_verifiers = wrong_verifiers + 1
        where tenant_id = $1 and code_hash = $2 and consumed_at is null and wrong_verifiers < $3
        "#,
        tenant as TenantId,
        code.as_bytes(),
        WRONG_VERIFIERS,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes up to `most` that nobody can exchange any more. One that was exchanged is kept as long
/// as the others: until then, presenting it again is noticed.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select code_hash from authorization_codes
            where expires_at < portico_now() - interval '1 day'
            limit $1
            for update skip locked
        )
        delete from authorization_codes a using due where a.code_hash = due.code_hash
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
