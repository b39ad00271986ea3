//! Calls of a minute, leased to instances a slice at a time. What is leased to all of them
//! together is never more than the allowance of the minute.

use portico_model::{ConnectionId, TenantId};
use time::OffsetDateTime;

use crate::{Conn, Pool, Result, pool};

/// Calls that one instance may let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The beginning of the minute that they are of, by the database's clock.
    pub minute: OffsetDateTime,
    pub calls: u32,
}

/// A part of what is left of the minute: small, since an instance that makes no more calls keeps
/// it, and smaller the less is left. `None`: nothing is left. It takes the pool, since a connection
/// found dead is replaced and asked again, which costs a slice at worst.
pub async fn take(
    pool: &Pool,
    tenant: TenantId,
    connection: ConnectionId,
    allowance: u32,
) -> Result<Option<Lease>> {
    pool::retrying(pool, || async {
        let mut conn = pool::take(pool).await?;
        upsert(&mut conn, tenant, connection, allowance).await
    })
    .await
}

/// A statement that has waited for another one's row may be of the minute before: what it takes
/// is of the row's minute, or the row would go back. A row of a later minute than the next one is
/// of a clock that was wrong, and is begun anew.
async fn upsert(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    allowance: u32,
) -> Result<Option<Lease>> {
    let row = sqlx::query!(
        r#"
        insert into call_leases as l (tenant_id, connection_id, minute, leased, slice)
        select $1, $2, date_trunc('minute', portico_now(), 'UTC'), part, part
        from (select greatest(1, $3::integer / 20) as part) first
        on conflict (tenant_id, connection_id) do update
        set minute = case when l.minute between excluded.minute and excluded.minute + '1 minute'
                          then l.minute else excluded.minute end,
            leased = case when l.minute between excluded.minute and excluded.minute + '1 minute'
                          then l.leased + greatest(1, ($3 - l.leased) / 20)
                          else excluded.leased end,
            slice = case when l.minute between excluded.minute and excluded.minute + '1 minute'
                         then greatest(1, ($3 - l.leased) / 20)
                         else excluded.slice end
        where l.leased < $3
           or l.minute not between excluded.minute and excluded.minute + '1 minute'
        returning minute, slice
        "#,
        tenant as TenantId,
        connection as ConnectionId,
        i32::try_from(allowance).unwrap_or(i32::MAX),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Lease { minute: row.minute, calls: row.slice.unsigned_abs() }))
}

/// Removes up to `most` of minutes that are long over.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select tenant_id, connection_id from call_leases
            where minute < portico_now() - interval '1 day'
            limit $1
            for update skip locked
        )
        delete from call_leases l using due
        where l.tenant_id = due.tenant_id and l.connection_id = due.connection_id
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
