//! Refresh tokens, by their hash. Each is good for one rotation; for a short grace the answer that
//! was given for it is given again. What any of them is worth hangs on its connection.

use std::time::Duration;

use portico_model::{ClientId, ConnectionId, Scopes, TenantId, TenantState, TokenHash};

use crate::{Conn, Result, Taking};

/// For how long after its rotation, and how often, a token is answered again.
#[derive(Clone, Copy, Debug)]
pub struct Grace {
    pub ttl: Duration,
    pub repeats: i32,
}

/// A token with its connection, both locked until the transaction ends.
#[derive(Debug)]
pub struct Presented {
    pub connection: ConnectionId,
    pub client: ClientId,
    pub resource: String,
    pub server: String,
    pub scopes: Scopes,
    pub is_rotated: bool,
    /// It was rotated, and the grace is over: whoever presents it is not who was answered.
    pub is_replayed: bool,
}

/// Lives for `idle`, and never longer than its connection.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    connection: ConnectionId,
    idle: Duration,
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into refresh_tokens (token_hash, tenant_id, connection_id, expires_at)
        values ($1, $2, $3, least(
            portico_now() + make_interval(secs => $4),
            (select expires_at from connections where tenant_id = $2 and connection_id = $3)
        ))
        "#,
        token.as_bytes(),
        tenant as TenantId,
        connection as ConnectionId,
        idle.as_secs_f64(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the token and its connection, so that whatever is decided next is decided about rows
/// that nobody else is writing.
pub async fn lock(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    grace: Grace,
) -> Result<Option<Presented>> {
    let presented = sqlx::query_as!(
        Presented,
        r#"
        select c.connection_id as connection, c.client_id as client, c.resource, c.server,
               c.scopes, r.rotated_at is not null as "is_rotated!",
               r.rotated_at is not null
                   and (r.rotated_at <= portico_now() - make_interval(secs => $3)
                        or r.repeats >= $4) as "is_replayed!"
        from refresh_tokens r
        join connections c using (tenant_id, connection_id)
        where r.tenant_id = $1 and r.token_hash = $2
        for update of c, r
        "#,
        tenant as TenantId,
        token.as_bytes(),
        grace.ttl.as_secs_f64(),
        grace.repeats,
    )
    .fetch_optional(conn)
    .await?;
    Ok(presented)
}

/// How many were minted for the connection within a minute, the first one too.
pub async fn count_recent(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
) -> Result<i64> {
    let row = sqlx::query!(
        r#"
        select count(*) as "recent!" from refresh_tokens
        where tenant_id = $1 and connection_id = $2
          and created_at > portico_now() - interval '1 minute'
        "#,
        tenant as TenantId,
        connection as ConnectionId,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.recent)
}

/// Takes the token out of circulation; this is the one statement that decides who may have its
/// successor.
pub async fn rotate(conn: &mut Conn, tenant: TenantId, token: &TokenHash) -> Result<Taking> {
    let row = sqlx::query!(
        r#"
        with taken as (
            update refresh_tokens r set rotated_at = portico_now()
            from connections c
            join people p using (tenant_id, person_id)
            join tenants t using (tenant_id)
            where r.tenant_id = $1 and r.token_hash = $2 and r.rotated_at is null
              and r.expires_at > portico_now()
              and c.tenant_id = r.tenant_id and c.connection_id = r.connection_id
              and c.ended_at is null and (c.expires_at is null or c.expires_at > portico_now())
              and p.disabled_at is null and t.state = $3
            returning r.token_hash
        )
        select t.state, exists (select from taken) as "is_taken!"
        from tenants t
        where t.tenant_id = $1
        "#,
        tenant as TenantId,
        token.as_bytes(),
        TenantState::Live as TenantState,
    )
    .fetch_one(conn)
    .await?;
    Ok(Taking::of(row.is_taken.then_some(()), row.state))
}

/// Keeps what a rotated token was answered with, sealed.
pub async fn keep_answer(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    sealed: &[u8],
) -> Result<()> {
    sqlx::query!(
        r#"
        update refresh_tokens set sealed_answer = $3
        where tenant_id = $1 and token_hash = $2 and rotated_at is not null
        "#,
        tenant as TenantId,
        token.as_bytes(),
        sealed,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes one of the repetitions that a rotated token has, and the sealed answer with it.
pub async fn repeat(
    conn: &mut Conn,
    tenant: TenantId,
    token: &TokenHash,
    grace: Grace,
) -> Result<Taking<Vec<u8>>> {
    let row = sqlx::query!(
        r#"
        with repeated as (
            update refresh_tokens r set repeats = r.repeats + 1
            from connections c
            join people p using (tenant_id, person_id)
            join tenants t using (tenant_id)
            where r.tenant_id = $1 and r.token_hash = $2
              and r.rotated_at > portico_now() - make_interval(secs => $4)
              and r.repeats < $5 and r.sealed_answer is not null
              and c.tenant_id = r.tenant_id and c.connection_id = r.connection_id
              and c.ended_at is null and (c.expires_at is null or c.expires_at > portico_now())
              and p.disabled_at is null and t.state = $3
            returning r.sealed_answer
        )
        select t.state, (select sealed_answer from repeated)
        from tenants t
        where t.tenant_id = $1
        "#,
        tenant as TenantId,
        token.as_bytes(),
        TenantState::Live as TenantState,
        grace.ttl.as_secs_f64(),
        grace.repeats,
    )
    .fetch_one(conn)
    .await?;
    Ok(Taking::of(row.sealed_answer, row.state))
}

/// Forgets the answers whose grace is over, up to `most` of them. Answers how many there were.
pub async fn erase_answers(conn: &mut Conn, grace: Grace, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select token_hash from refresh_tokens
            where sealed_answer is not null
              and rotated_at <= portico_now() - make_interval(secs => $1)
            limit $2
            for update skip locked
        )
        update refresh_tokens r set sealed_answer = null
        from due
        where r.token_hash = due.token_hash
        "#,
        grace.ttl.as_secs_f64(),
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Removes up to `most` that nobody can use or replay any more.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select token_hash from refresh_tokens
            where expires_at < portico_now() - interval '30 days'
            limit $1
            for update skip locked
        )
        delete from refresh_tokens r using due where r.token_hash = due.token_hash
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
