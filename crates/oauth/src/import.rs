//! Tokens of an earlier system, taken over by their hashes: each becomes a connection of its
//! person that lives until it is ended. All of a file is taken, or nothing of it.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use portico_declaration::Server;
use portico_model::{
    Address, ClientId, ConnectionId, Issuer, PersonId, Scopes, SecurityEvent, TokenHash,
    is_invisible,
};
use portico_storage::client::Registration;
use portico_storage::connection::{self, Consent, Making};
use portico_storage::{Conn, Pool, access_token, client, person, security_event};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

use crate::Tenant;

const LONGEST_NAME: usize = 120;

/// One token, as a line of the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    sha256: String,
    /// The person's e-mail address.
    person: String,
    server: String,
    /// The vanity host at which it is good, in the place of the gateway's own origin.
    host: Option<String>,
    /// What the panel calls the application.
    client: String,
    scopes: Vec<String>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

/// In which a token can have been made: OAuth 1.0 is of 2007.
const YEARS: RangeInclusive<i32> = 2007..=2100;

/// A line that fits what the tenant declares.
struct Token {
    line: usize,
    hash: TokenHash,
    email: String,
    server: String,
    host: Option<String>,
    resource: String,
    client: String,
    scopes: Scopes,
    created_at: OffsetDateTime,
}

/// One whose person is there.
struct Owned {
    person: PersonId,
    token: Token,
}

#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// The parser's own words may repeat what the line holds, which may be a token.
    #[error("is no object of exactly the members that a token has, as its character {0} shows")]
    Form(usize),
    #[error("sha256 is not 64 hexadecimal digits")]
    Hash,
    #[error("has the token of line {0}")]
    Repeated(usize),
    #[error("has a token that another tenant has")]
    Taken,
    #[error("has a token that is there already, for {0}")]
    Elsewhere(String),
    #[error("person is nobody of this tenant, or is disabled")]
    Person,
    #[error("server is none that the tenant declares")]
    Server,
    #[error("host is none that the tenant declares for that server")]
    Host,
    #[error("its host is not proved, or the declaration has just changed")]
    Unserved,
    #[error("client is empty, too long, or has a character that is not shown")]
    Client,
    #[error("scopes is empty, or has one that the tenant does not declare")]
    Scopes,
    #[error("created_at is no time at which a token can have been made")]
    Created,
}

/// What is wrong with a line of the file.
#[derive(Debug)]
pub struct Problem {
    pub line: usize,
    pub wrong: Wrong,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("nothing was imported:{}", listed(.0))]
    Lines(Vec<Problem>),
    #[error(transparent)]
    Storage(#[from] portico_storage::Error),
}

/// What became of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub tokens: usize,
    /// Those that an earlier run took, ended or not.
    pub known: usize,
}

fn listed(problems: &[Problem]) -> String {
    let lines = problems.iter().map(|it| format!("\n  line {} {}", it.line, it.wrong));
    lines.collect()
}

/// Takes over every token of the file that is not there yet.
pub async fn import(pool: &Pool, tenant: Tenant<'_>, file: &str) -> Result<Imported, Refusal> {
    let tokens = read(tenant, file).map_err(Refusal::Lines)?;
    let mut tx = portico_storage::begin(pool).await?;
    let tokens = find_people(&mut tx, tenant, tokens).await?;
    let all = tokens.len();
    let tokens = find_new(&mut tx, tenant, tokens).await?;
    let mut clients = HashMap::new();
    let mut connections = Vec::new();
    for owned in &tokens {
        let name = &owned.token.client;
        let client = match clients.get(name) {
            Some(known) => *known,
            None => register(&mut tx, tenant, name).await?,
        };
        clients.insert(name, client);
        connections.push(store(&mut tx, tenant, owned, client).await?);
    }
    security_event::record(&mut tx, tenant.id, SecurityEvent::Imported, &connections).await?;
    portico_storage::commit(tx).await?;
    Ok(Imported { tokens: tokens.len(), known: all - tokens.len() })
}

fn read(tenant: Tenant<'_>, file: &str) -> Result<Vec<Token>, Vec<Problem>> {
    let mut tokens = Vec::new();
    let mut problems = Vec::new();
    let mut lines = HashMap::new();
    for (index, text) in file.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line = index + 1;
        match accept(tenant, line, text) {
            Ok(token) => match lines.insert(token.hash, line) {
                Some(first) => problems.push(Problem { line, wrong: Wrong::Repeated(first) }),
                None => tokens.push(token),
            },
            Err(wrong) => problems.push(Problem { line, wrong }),
        }
    }
    if problems.is_empty() { Ok(tokens) } else { Err(problems) }
}

fn accept(tenant: Tenant<'_>, line: usize, text: &str) -> Result<Token, Wrong> {
    let read: Line = serde_json::from_str(text).map_err(|error| Wrong::Form(error.column()))?;
    let hash = hash(&read.sha256).ok_or(Wrong::Hash)?;
    let server = tenant.declaration.server(&read.server).ok_or(Wrong::Server)?;
    let resource = resource(tenant.issuer, server, read.host.as_deref()).ok_or(Wrong::Host)?;
    // No text of the database holds it, so nobody is called so.
    if read.person.contains('\0') {
        return Err(Wrong::Person);
    }
    if !YEARS.contains(&read.created_at.year()) {
        return Err(Wrong::Created);
    }
    let length = read.client.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) || read.client.chars().any(is_invisible) {
        return Err(Wrong::Client);
    }
    let scopes = Scopes::parse(&read.scopes.join(" "));
    let declared = tenant.declaration.scope_set();
    let is_whole = scopes.iter().count() == read.scopes.len();
    if scopes.is_empty() || !is_whole || scopes.intersection(&declared) != scopes {
        return Err(Wrong::Scopes);
    }
    Ok(Token {
        line,
        hash,
        email: read.person,
        server: read.server,
        host: read.host,
        resource,
        client: read.client,
        scopes,
        created_at: read.created_at,
    })
}

/// The server's address at the host, which has to be its own, or at the gateway's own origin.
fn resource(raw: &Issuer, server: &Server, host: Option<&str>) -> Option<String> {
    let name = server.name.as_str();
    let address = Address::of(name);
    match host {
        Some(host) if server.hosts.iter().any(|it| it == host) => {
            Some(Issuer::of_host(raw.origin(), host, name).resource(&address))
        }
        Some(_) => None,
        None => Some(raw.resource(&address)),
    }
}

fn hash(text: &str) -> Option<TokenHash> {
    let mut hash = [0; 32];
    if text.len() != 2 * hash.len() {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digit = |at: usize| char::from(digits[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(TokenHash::from_bytes(hash))
}

/// Whose each is; and every line whose person is none.
async fn find_people(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    tokens: Vec<Token>,
) -> Result<Vec<Owned>, Refusal> {
    let mut people = HashMap::new();
    let mut owned = Vec::new();
    let mut problems = Vec::new();
    for token in tokens {
        let person = match people.get(&token.email) {
            Some(known) => *known,
            None => person::find_by_email(conn, tenant.id, &token.email)
                .await?
                .filter(|found| !found.disabled)
                .map(|found| found.id),
        };
        people.insert(token.email.clone(), person);
        match person {
            Some(person) => owned.push(Owned { person, token }),
            None => problems.push(Problem { line: token.line, wrong: Wrong::Person }),
        }
    }
    if problems.is_empty() { Ok(owned) } else { Err(Refusal::Lines(problems)) }
}

/// Those that are not there yet; and every line whose token is there for another address, where it
/// would go on being nothing at this one.
async fn find_new(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    tokens: Vec<Owned>,
) -> Result<Vec<Owned>, Refusal> {
    let mut new = Vec::new();
    let mut problems = Vec::new();
    for owned in tokens {
        let token = &owned.token;
        match access_token::find_resource(conn, tenant.id, &token.hash).await? {
            None => new.push(owned),
            Some(known) if known == token.resource => {}
            Some(other) => {
                problems.push(Problem { line: token.line, wrong: Wrong::Elsewhere(other) });
            }
        }
    }
    if problems.is_empty() { Ok(new) } else { Err(Refusal::Lines(problems)) }
}

/// The client of that name, which nobody can connect anew: it has no address to be sent back to.
async fn register(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    name: &str,
) -> Result<ClientId, portico_storage::Error> {
    let digest = Sha256::new().chain_update("an imported client\0").chain_update(name).finalize();
    let registration = Registration {
        digest: digest.into(),
        name: Some(name),
        redirect_uris: &[],
        metadata: &serde_json::json!({ "client_name": name }),
    };
    Ok(client::register(conn, tenant.id, &registration).await?.id)
}

async fn store(
    conn: &mut Conn,
    tenant: Tenant<'_>,
    Owned { person, token }: &Owned,
    client: ClientId,
) -> Result<ConnectionId, Refusal> {
    let refused = |wrong| Refusal::Lines(vec![Problem { line: token.line, wrong }]);
    let consent = Consent {
        person: *person,
        client,
        resource: &token.resource,
        server: &token.server,
        host: token.host.as_deref(),
        version: tenant.version,
        redirect_uri: "",
        scopes: &token.scopes,
        pinned: None,
        is_read_only: false,
        workspaces: None,
        ttl: None,
    };
    let made = match connection::insert(conn, tenant.id, &consent).await? {
        Making::Made(connection) => connection,
        Making::Withdrawn => return Err(refused(Wrong::Unserved)),
        Making::Refused => return Err(refused(Wrong::Person)),
    };
    connection::backdate(conn, tenant.id, made, token.created_at).await?;
    match access_token::insert(conn, tenant.id, &token.hash, made, None).await {
        Err(error) if error.violates("access_tokens_pkey") => Err(refused(Wrong::Taken)),
        stored => Ok(stored.map(|()| made)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Acme;

    const GOOD: &str = r#"{"sha256":"aa00000000000000000000000000000000000000000000000000000000000001","person":"ada@acme.example","server":"boards","client":"Claude","scopes":["read"],"created_at":"2024-05-06T07:08:09Z"}"#;

    // pre:O25
    #[test]
    fn every_bad_line_is_named_and_one_is_enough_to_refuse_the_file() {
        let acme = Acme::with_servers(&["boards"]);
        let (other, upper) = (GOOD.replace("aa0", "bb0"), GOOD.replace("aa0", "AA0"));
        assert_eq!(read(acme.tenant(), &format!("{GOOD}\n\n{other}\r\n")).unwrap().len(), 2);
        let lines = [
            GOOD.to_owned(),
            other.replace("bb0", "b0"),
            other.replace("bb0", "x00"),
            upper,
            other.replace("boards", "sales"),
            other.replace("Claude", ""),
            other.replace("Claude", "Cla\u{202e}ude"),
            other.replace(r#"["read"]"#, "[]"),
            other.replace(r#"["read"]"#, r#"["read","delete"]"#),
            other.replace(r#"["read"]"#, r#"["read","reed"]"#),
            other.replace("2024-05-06T07:08:09Z", "yesterday"),
            other.replace("\"scopes\"", "\"scope\""),
            other.replace('}', r#","token":"plain"}"#),
            "plain".to_owned(),
        ];
        let Err(problems) = read(acme.tenant(), &lines.join("\n")) else { panic!("it is taken") };
        insta::assert_snapshot!(Refusal::Lines(problems), @r"
        nothing was imported:
          line 2 sha256 is not 64 hexadecimal digits
          line 3 sha256 is not 64 hexadecimal digits
          line 4 has the token of line 1
          line 5 server is none that the tenant declares
          line 6 client is empty, too long, or has a character that is not shown
          line 7 client is empty, too long, or has a character that is not shown
          line 8 scopes is empty, or has one that the tenant does not declare
          line 9 scopes is empty, or has one that the tenant does not declare
          line 10 scopes is empty, or has one that the tenant does not declare
          line 11 is no object of exactly the members that a token has, as its character 183 shows
          line 12 is no object of exactly the members that a token has, as its character 148 shows
          line 13 is no object of exactly the members that a token has, as its character 202 shows
          line 14 is no object of exactly the members that a token has, as its character 1 shows
        ");
    }
}
