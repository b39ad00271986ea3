//! Revocation by the client (RFC 7009). Whether a token exists is not told.

use portico_model::{Kind, PlainToken};
use portico_storage::{Pool, connection};

use crate::parameter::Parameters;
use crate::{Stranger, Tenant};

/// Ends the connection of the form's token, if the token is the client's. The answer is the same
/// otherwise. `token_type_hint` is left out: a token's prefix says what it is.
pub async fn revoke(pool: &Pool, tenant: Tenant<'_>, form: &[u8]) -> Result<(), Stranger> {
    let asked = Parameters::parse(form)?;
    let token = asked.required("token")?;
    let mut conn = portico_storage::acquire(pool).await?;
    let client = asked.public_client(&mut conn, tenant.id).await?;
    if let Ok(token) = PlainToken::parse(Kind::AccessToken, token) {
        connection::end_by_token(&mut conn, tenant.id, &token.hash(), client).await?;
    }
    Ok(())
}
