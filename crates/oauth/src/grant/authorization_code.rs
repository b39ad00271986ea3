//! A code, once, for the first tokens of a connection (OAuth 2.1 §4.1.3).

use std::time::Duration;

use portico_model::{EndReason, Kind, PlainToken, SecurityEvent, TokenHash};
use portico_storage::authorization_code::{self, Code};
use portico_storage::{Conn, Pool, Taking, security_event};

use super::{Answer, Mandate, Random};
use crate::parameter::{Malformed, Parameters};
use crate::{ErrorCode, Tenant, grant, pkce};

/// A repetition within this time is a lost answer or a race, later it is a stolen code.
const REPLAY_AFTER: Duration = Duration::from_secs(30);

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the code is unknown, has run out, or was used")]
    Code,
    #[error("the code was used before; its connection is ended")]
    Replayed,
    #[error("redirect_uri is not the one of the authorization request")]
    Redirect,
    #[error("resource is not the one of the authorization request")]
    Resource,
    #[error("code_verifier does not match")]
    Verifier,
    #[error("this service is suspended at the moment")]
    Suspended,
}

impl Refusal {
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::Code | Self::Replayed | Self::Redirect | Self::Verifier => {
                ErrorCode::InvalidGrant
            }
            Self::Resource => ErrorCode::InvalidTarget,
            // A suspended tenant may come back. At `invalid_grant` and `invalid_client` client
            // libraries throw away what they hold, at `unauthorized_client` their registration
            // too, and a 503 would have them try every few seconds. This they show.
            Self::Suspended => ErrorCode::AccessDenied,
        }
    }
}

/// What a client sends; its id and the grant's name are read elsewhere.
struct Form<'p> {
    code: &'p str,
    verifier: &'p str,
    redirect_uri: Option<&'p str>,
    resource: Option<&'p str>,
}

impl<'p> Form<'p> {
    fn read(asked: &'p Parameters) -> Result<Self, Malformed> {
        Ok(Self {
            code: asked.required("code")?,
            verifier: asked.required("code_verifier")?,
            redirect_uri: asked.get("redirect_uri"),
            resource: asked.get("resource"),
        })
    }
}

/// What was decided about a code, to be committed either way.
enum Verdict {
    Taken,
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
    let code = PlainToken::parse(Kind::Code, form.code).map_err(|_| Refusal::Code)?.hash();
    let found = authorization_code::lock(&mut tx, tenant.id, &code, REPLAY_AFTER).await?;
    let is_known = |it: &Code| it.client == client && grant::is_issuers(tenant, &it.resource);
    let found = found.filter(is_known).ok_or(Refusal::Code)?;
    check_binding(tenant, &form, &found)?;
    let answer = match settle(&mut tx, tenant, &form, &code, &found).await? {
        Verdict::Taken => Ok(mint(&mut tx, tenant, &found, random).await?),
        Verdict::Refused(refusal) => Err(refusal.into()),
    };
    // What a refusal has changed, a count or an ending, has to stay.
    portico_storage::commit(tx).await?;
    answer
}

/// What is wrong here is a mistake of the client's and costs the code nothing.
fn check_binding(tenant: Tenant<'_>, form: &Form<'_>, found: &Code) -> Result<(), Refusal> {
    if form.redirect_uri.is_some_and(|asked| asked != found.redirect_uri) {
        return Err(Refusal::Redirect);
    }
    if !grant::is_resource(tenant.issuer, form.resource, &found.resource) {
        return Err(Refusal::Resource);
    }
    Ok(())
}

async fn settle(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    form: &Form<'_>,
    code: &TokenHash,
    found: &Code,
) -> Result<Verdict, portico_storage::Error> {
    if !pkce::proves(form.verifier, &found.challenge) {
        authorization_code::count_wrong_verifier(conn, tenant.id, code).await?;
        return Ok(Verdict::Refused(Refusal::Verifier));
    }
    let refusal = match authorization_code::take(conn, tenant.id, code).await? {
        Taking::Taken(()) => return Ok(Verdict::Taken),
        Taking::Refused | Taking::TenantSuspended if found.long_consumed => {
            let reason = EndReason::CodeReplayed;
            portico_tokens::end(conn, tenant.id, found.connection, reason).await?;
            Refusal::Replayed
        }
        Taking::Refused => Refusal::Code,
        Taking::TenantSuspended => Refusal::Suspended,
    };
    Ok(Verdict::Refused(refusal))
}

async fn mint(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    found: &Code,
    random: Random<'_>,
) -> Result<Answer, grant::Refusal> {
    let server = tenant.declaration.server(&found.server).ok_or(Refusal::Code)?;
    let mandate = Mandate { connection: found.connection, server, scopes: &found.scopes };
    let tokens = grant::mint(conn, tenant, mandate, random).await?;
    let event = SecurityEvent::Connected;
    security_event::record(conn, tenant.id, event, &[found.connection]).await?;
    Ok(tokens.answer())
}

#[cfg(test)]
mod tests {
    use super::*;

    // cli:53, mcp:A11
    #[test]
    fn a_form_as_clients_send_it_is_read() {
        let body = b"grant_type=authorization_code&code=portico_ac_x&code_verifier=a.b-c_d%7E&\
                     redirect_uri=http%3A%2F%2Flocalhost%3A1%2Fcb&resource=&client_id=c&scope=read";
        let asked = Parameters::parse(body).unwrap();
        let form = Form::read(&asked).unwrap();
        assert_eq!([form.code, form.verifier], ["portico_ac_x", "a.b-c_d~"]);
        let optional = [form.redirect_uri, form.resource];
        assert_eq!(optional, [Some("http://localhost:1/cb"), None]);
    }

    // sec:D28, sec:F02, sec:F16
    #[test]
    fn an_error_names_what_is_missing_and_nothing_that_was_sent() {
        for (body, said) in [
            ("client_id=i", "missing field `code`"),
            ("code=&code_verifier=v", "missing field `code`"),
            ("code=secret&client_id=i", "missing field `code_verifier`"),
            ("code=secret&code_verifier=", "missing field `code_verifier`"),
        ] {
            let asked = Parameters::parse(body.as_bytes()).unwrap();
            let malformed = Form::read(&asked).map(|_| ()).unwrap_err();
            assert_eq!(
                (malformed.code(), malformed.to_string().as_str()),
                (ErrorCode::InvalidRequest, said),
                "{body}"
            );
        }
    }
}
