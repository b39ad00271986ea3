//! Writes of a day, each counted before it is made.

use portico_model::{ConnectionId, TenantId};

use crate::{Conn, Result};

/// Counts a write of the connection. `None`: as many as are allowed were counted today, which is
/// the day in UTC.
///
/// A statement that has waited for another one's row may be of the day before: it counts in the
/// row's day, or the row would go back. A row of a later day than the next one is of a clock that
/// was wrong, and is begun anew.
pub async fn charge(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    allowed: u32,
) -> Result<Option<u32>> {
    let row = sqlx::query!(
        r#"
        insert into write_budgets as b (tenant_id, connection_id, day, used)
        values ($1, $2, (portico_now() at time zone 'UTC')::date, 1)
        on conflict (tenant_id, connection_id) do update
        set day = case when b.day between excluded.day and excluded.day + 1
                       then b.day else excluded.day end,
            used = case when b.day between excluded.day and excluded.day + 1
                        then b.used + 1 else 1 end
        where b.used < $3 or b.day not between excluded.day and excluded.day + 1
        returning used
        "#,
        tenant as TenantId,
        connection as ConnectionId,
        i32::try_from(allowed).unwrap_or(i32::MAX),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.used.unsigned_abs()))
}

/// Removes up to `most` of days that are long over.
pub async fn sweep(conn: &mut Conn, most: i64) -> Result<u64> {
    let done = sqlx::query!(
        r#"
        with due as (
            select tenant_id, connection_id from write_budgets
            where day < (portico_now() at time zone 'UTC')::date - 7
            limit $1
            for update skip locked
        )
        delete from write_budgets b using due
        where b.tenant_id = due.tenant_id and b.connection_id = due.connection_id
        "#,
        most,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
