//! Who signs in.

use portico_model::{PersonId, TenantId};

use crate::{Conn, Result};

#[derive(Debug)]
pub struct Person {
    pub id: PersonId,
    pub email: String,
    pub name: String,
    pub disabled: bool,
}

/// Makes the person if the tenant has none of that e-mail address, and says who it is.
pub async fn ensure(
    conn: &mut Conn,
    tenant: TenantId,
    email: &str,
    name: &str,
) -> Result<PersonId> {
    let row = sqlx::query!(
        r#"
        insert into people (tenant_id, email, name) values ($1, $2, $3)
        on conflict (tenant_id, lower(email)) do update set name = excluded.name
        returning person_id
        "#,
        tenant as TenantId,
        email,
        name,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.person_id)
}

pub async fn find(conn: &mut Conn, tenant: TenantId, id: PersonId) -> Result<Option<Person>> {
    let person = sqlx::query_as!(
        Person,
        r#"
        select person_id as id, email, name, disabled_at is not null as "disabled!"
        from people
        where tenant_id = $1 and person_id = $2
        "#,
        tenant as TenantId,
        id as PersonId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(person)
}

pub async fn find_by_email(
    conn: &mut Conn,
    tenant: TenantId,
    email: &str,
) -> Result<Option<Person>> {
    let person = sqlx::query_as!(
        Person,
        r#"
        select person_id as id, email, name, disabled_at is not null as "disabled!"
        from people
        where tenant_id = $1 and lower(email) = lower($2)
        "#,
        tenant as TenantId,
        email,
    )
    .fetch_optional(conn)
    .await?;
    Ok(person)
}

/// Shuts the person out; the next call of each of their connections is refused.
pub async fn disable(conn: &mut Conn, tenant: TenantId, id: PersonId) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update people set disabled_at = portico_now()
        where tenant_id = $1 and person_id = $2 and disabled_at is null
        "#,
        tenant as TenantId,
        id as PersonId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
