//! A signed-in browser: it holds a secret, we hold its hash.

use std::time::Duration;

use portico_model::{Kind, PersonId, PlainToken, TenantId};
use portico_storage::person::Person;
use portico_storage::{self as storage, Pool, Result};

/// How long a person stays signed in.
pub const TTL: Duration = Duration::from_hours(12);

/// Signs the browser in under a new secret; what it held before ends.
pub async fn begin(
    pool: &Pool,
    tenant: TenantId,
    person: PersonId,
    random: [u8; 32],
    before: Option<&PlainToken>,
) -> Result<PlainToken> {
    let session = PlainToken::mint(Kind::Session, random);
    let mut tx = storage::begin(pool).await?;
    storage::session::insert(&mut tx, tenant, person, &session.hash(), TTL).await?;
    if let Some(before) = before {
        storage::session::end(&mut tx, tenant, &before.hash()).await?;
    }
    storage::commit(tx).await?;
    Ok(session)
}

/// Who is signed in, disabled or not.
pub async fn find(pool: &Pool, tenant: TenantId, held: &PlainToken) -> Result<Option<Person>> {
    let mut conn = storage::acquire(pool).await?;
    storage::session::find_live(&mut conn, tenant, &held.hash()).await
}

/// Signs the browser out.
pub async fn end(pool: &Pool, tenant: TenantId, held: &PlainToken) -> Result<()> {
    let mut conn = storage::acquire(pool).await?;
    storage::session::end(&mut conn, tenant, &held.hash()).await?;
    Ok(())
}
