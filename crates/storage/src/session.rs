//! Signed-in browsers. Only a hash of what the browser holds is kept.

use std::time::Duration;

use portico_model::{PersonId, TenantId, TokenHash};

use crate::person::Person;
use crate::{Conn, Result};

/// Begins a session.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    hash: &TokenHash,
    ttl: Duration,
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into sessions (session_hash, tenant_id, person_id, expires_at)
        values ($1, $2, $3, portico_now() + make_interval(secs => $4))
        "#,
        hash.as_bytes(),
        tenant as TenantId,
        person as PersonId,
        ttl.as_secs_f64(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Who sits at the browser, disabled or not: the caller has different words for the two.
pub async fn find_live(
    conn: &mut Conn,
    tenant: TenantId,
    hash: &TokenHash,
) -> Result<Option<Person>> {
    let person = sqlx::query_as!(
        Person,
        r#"
        select person_id as id, p.email, p.name, p.disabled_at is not null as "disabled!"
        from sessions s
        join people p using (tenant_id, person_id)
        where s.session_hash = $1 and s.tenant_id = $2
          and s.ended_at is null and portico_now() < s.expires_at
        "#,
        hash.as_bytes(),
        tenant as TenantId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(person)
}

/// Signs the browser out; false where it was not signed in.
pub async fn end(conn: &mut Conn, tenant: TenantId, hash: &TokenHash) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update sessions set ended_at = portico_now()
        where session_hash = $1 and tenant_id = $2 and ended_at is null
        "#,
        hash.as_bytes(),
        tenant as TenantId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes up to `most` that ran out a day ago.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select session_hash from sessions
            where expires_at < portico_now() - interval '1 day'
            limit $1
            for update skip locked
        )
        delete from sessions s using due where s.session_hash = due.session_hash
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
