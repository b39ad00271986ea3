//! A refresh token, once, for the next tokens of its connection (OAuth 2.1 §4.3), and for a short
//! grace the same answer again. Afterwards a second presentation means that two hold it.

use portico_model::{EndReason, Kind, PlainToken};
use portico_storage::refresh_token::{self, Presented};
use portico_storage::{Conn, Pool, Taking};
use portico_tokens::{Answered, GRACE};

use super::{Answer, Mandate, Random};
use crate::parameter::{Malformed, Parameters};
use crate::{ErrorCode, Tenant, grant};

/// Tokens of one connection in a minute. A client that renews what it was given a moment ago runs
/// in a circle; it holds good tokens, and is not the thief of any.
const MOST_A_MINUTE: i64 = 30;

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the refresh token is unknown, has run out, or its connection has ended")]
    Token,
    #[error("the refresh token was used before; its connection is ended")]
    Replayed,
    #[error("resource is not the one of the connection")]
    Resource,
    #[error("the connection was refreshed too often; come back in a minute")]
    Storm,
    #[error("this service is suspended at the moment")]
    Suspended,
}

impl Refusal {
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::Token | Self::Replayed => ErrorCode::InvalidGrant,
            Self::Resource => ErrorCode::InvalidTarget,
            Self::Storm => ErrorCode::TooMany,
            // As for a code: nothing is thrown away for it.
            Self::Suspended => ErrorCode::AccessDenied,
        }
    }
}

/// What a client sends. `scope` is not read: the answer has the connection's, whatever is asked.
struct Form<'p> {
    token: &'p str,
    resource: Option<&'p str>,
}

impl<'p> Form<'p> {
    fn read(asked: &'p Parameters) -> Result<Self, Malformed> {
        Ok(Self { token: asked.required("refresh_token")?, resource: asked.get("resource") })
    }
}

/// What was decided about a token, to be committed either way.
enum Verdict {
    Taken,
    Repeated(Vec<u8>),
    Refused(Refusal),
}

pub(super) async fn exchange(
    pool: &Pool,
    tenant: Tenant<'_>,
    asked: &Parameters,
    random: Random<'_>,
) -> Result<Answer, grant::Refusal> {
    let form = Form::read(asked)?;
    let mut tx = portico_storage::begin(pool).await?;
    let client = asked.public_client(&mut tx, tenant.id).await?;
    let token = PlainToken::parse(Kind::RefreshToken, form.token).map_err(|_| Refusal::Token)?;
    let found = refresh_token::lock(&mut tx, tenant.id, &token.hash(), GRACE).await?;
    let is_known = |it: &Presented| it.client == client && grant::is_issuers(tenant, &it.resource);
    let found = found.filter(is_known).ok_or(Refusal::Token)?;
    if !grant::is_resource(tenant.issuer, form.resource, &found.resource) {
        return Err(Refusal::Resource.into());
    }
    let answer = match settle(&mut tx, tenant, &token, &found).await? {
        Verdict::Taken => Ok(renew(&mut tx, tenant, &token, &found, random).await?),
        Verdict::Repeated(answer) => Ok(Answer(answer)),
        Verdict::Refused(refusal) => Err(refusal.into()),
    };
    // What a refusal has changed, an ending, has to stay.
    portico_storage::commit(tx).await?;
    answer
}

async fn settle(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    token: &PlainToken,
    found: &Presented,
) -> Result<Verdict, portico_storage::Error> {
    if found.is_replayed {
        let reason = EndReason::RefreshReplayed;
        portico_tokens::end(conn, tenant.id, found.connection, reason).await?;
        return Ok(Verdict::Refused(Refusal::Replayed));
    }
    if found.is_rotated {
        let repeated = portico_tokens::repeat(conn, tenant.id, found.connection, token).await?;
        return Ok(verdict(repeated, Verdict::Repeated));
    }
    let recent = refresh_token::count_recent(conn, tenant.id, found.connection).await?;
    if recent > MOST_A_MINUTE {
        return Ok(Verdict::Refused(Refusal::Storm));
    }
    let taking = refresh_token::rotate(conn, tenant.id, &token.hash()).await?;
    Ok(verdict(taking, |()| Verdict::Taken))
}

fn verdict<T>(taking: Taking<T>, taken: impl FnOnce(T) -> Verdict) -> Verdict {
    match taking {
        Taking::Taken(it) => taken(it),
        Taking::TenantSuspended => Verdict::Refused(Refusal::Suspended),
        Taking::Refused => Verdict::Refused(Refusal::Token),
    }
}

/// The next tokens. The access token of before goes on: calls are under way with it, and other
/// copies of the client hold it.
async fn renew(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    token: &PlainToken,
    found: &Presented,
    random: Random<'_>,
) -> Result<Answer, grant::Refusal> {
    let server = tenant.declaration.server(&found.server).ok_or(Refusal::Token)?;
    let mandate = Mandate { connection: found.connection, server, scopes: &found.scopes };
    let answer = grant::mint(conn, tenant, mandate, random).await?.answer();
    let answered = Answered { token, connection: found.connection, answer: &answer.0 };
    portico_tokens::keep(conn, tenant.id, answered, random()).await?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use portico_model::Issuer;

    use super::*;

    // cli:55, cli:56, sec:F18
    #[test]
    fn a_form_as_clients_send_it_is_read() {
        let body = b"grant_type=refresh_token&refresh_token=portico_rt_x&client_id=c&\
                     scope=read+offline_access&resource=https%3A%2F%2Fh.example%2Fmcp%2Fboards%2F";
        let asked = Parameters::parse(body).unwrap();
        let form = Form::read(&asked).unwrap();
        assert_eq!(form.token, "portico_rt_x");
        let issuer = Issuer::of_origin("https://h.example");
        assert!(grant::is_resource(&issuer, form.resource, "https://h.example/mcp/boards"));
        let asked = Parameters::parse(b"refresh_token=&client_id=c").unwrap();
        let missing = Form::read(&asked).map(|_| ()).unwrap_err();
        assert_eq!(missing.to_string(), "missing field `refresh_token`");
    }
}
