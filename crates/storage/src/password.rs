//! What is kept of a person's password: the text that argon2id made of it.

use portico_model::{PersonId, TenantId};

use crate::{Conn, Result};

/// Sets the password, in place of the one before.
pub async fn upsert(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    password_hash: &str,
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into passwords (tenant_id, person_id, password_hash) values ($1, $2, $3)
        on conflict (tenant_id, person_id) do update
        set password_hash = excluded.password_hash, set_at = excluded.set_at
        "#,
        tenant as TenantId,
        person as PersonId,
        password_hash,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn find(conn: &mut Conn, tenant: TenantId, person: PersonId) -> Result<Option<String>> {
    let row = sqlx::query!(
        "select password_hash from passwords where tenant_id = $1 and person_id = $2",
        tenant as TenantId,
        person as PersonId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| row.password_hash))
}
