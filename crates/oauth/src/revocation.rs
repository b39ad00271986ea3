//! Revocation by the client (RFC 7009). Whether a token exists is not told.

use portico_model::{Kind, PlainToken};
use portico_storage::Pool;
use portico_tokens::{foreign, revoke_access, revoke_foreign, revoke_refresh};

use crate::parameter::Parameters;
use crate::{Stranger, Tenant};

/// Takes the form's token back, if it is the client's: a refresh token with its whole connection,
/// an access token alone where another could follow it. The answer is the same otherwise.
/// `token_type_hint` is left out: a token's prefix says what it is. One of an earlier system is
/// anybody's who holds it, with its connection: its client has no id here that it could say.
pub async fn revoke(pool: &Pool, tenant: Tenant<'_>, form: &[u8]) -> Result<(), Stranger> {
    let asked = Parameters::parse(form)?;
    let token = asked.required("token")?;
    let mut tx = portico_storage::begin(pool).await?;
    if let Some(token) = foreign(token, &tenant.declaration.legacy_token_prefixes) {
        revoke_foreign(&mut tx, tenant.id, &token).await?;
        portico_storage::commit(tx).await?;
        return Ok(());
    }
    let client = asked.public_client(&mut tx, tenant.id).await?;
    if let Ok(token) = PlainToken::parse(Kind::RefreshToken, token) {
        revoke_refresh(&mut tx, tenant.id, client, &token.hash()).await?;
    } else if let Ok(token) = PlainToken::parse(Kind::AccessToken, token) {
        revoke_access(&mut tx, tenant.id, client, &token.hash()).await?;
    }
    portico_storage::commit(tx).await?;
    Ok(())
}
