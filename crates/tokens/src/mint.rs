//! New access and refresh tokens. Only their hashes are kept.

use std::time::Duration;

use portico_model::{ConnectionId, Kind, PlainToken, TenantId};
use portico_storage::{Conn, access_token, refresh_token};

/// Mints a token of the connection; without a `ttl` it lives until the connection ends. Belongs
/// in the transaction that took whatever it is minted for.
pub async fn mint_access(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    ttl: Option<Duration>,
    random: [u8; 32],
) -> Result<PlainToken, portico_storage::Error> {
    let token = PlainToken::mint(Kind::AccessToken, random);
    access_token::insert(conn, tenant, &token.hash(), connection, ttl).await?;
    Ok(token)
}

/// How long a connection may rest before its client has to ask the person again.
pub const IDLE: Duration = Duration::from_hours(30 * 24);

/// Mints what an access token is renewed with.
pub async fn mint_refresh(
    conn: &mut Conn,
    tenant: TenantId,
    connection: ConnectionId,
    random: [u8; 32],
) -> Result<PlainToken, portico_storage::Error> {
    let token = PlainToken::mint(Kind::RefreshToken, random);
    refresh_token::insert(conn, tenant, &token.hash(), connection, IDLE).await?;
    Ok(token)
}
