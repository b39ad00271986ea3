//! Whom the calls are made by: a tenant, two people with rosters of different sizes, and a
//! connection of theirs for each connection of the load.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use portico_model::{
    AccountId, AccountState, Address, ClientId, Issuer, Kind, PersonId, PlainToken, Role, Scope,
    Scopes, TenantId, WorkspaceId, WorkspaceState,
};
use portico_storage::card::Content;
use portico_storage::client::Registration;
use portico_storage::connection::Consent;
use portico_storage::{self as storage, Conn};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::case::{Case, ROSTERS, Reference};

pub(crate) const TENANT: &str = "bench";
pub(crate) const SERVER: &str = "boards";
pub(crate) const BOARD: &str = "Launch";
const REDIRECT: &str = "http://127.0.0.1/callback";
const ALIAS: &str = "bench.example";

/// Limits that are taken, and never reached.
const DECLARATION: &str = r##"
tenant = "bench"

[brand]
name = "Bench"
accent = "#0b57d0"

[sign_in]
kind = "local"

[directory]
kind = "managed"

[limits]
calls_per_minute = 1000000
writes_per_day = 100000

[[scopes]]
name = "read"
title = "Read"
[[scopes]]
name = "write"
title = "Write"

[[servers]]
name = "boards"
title = "Boards"
modules = ["board"]
"##;

/// What the bare servers have to know.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct World {
    pub(crate) tenant: TenantId,
    /// The one that every call is about.
    pub(crate) workspace: WorkspaceId,
    /// Tokens of a person in so many workspaces, all of which can be used.
    pub(crate) busy: BTreeMap<usize, Vec<String>>,
    /// The same of one for whom all but one were archived: they need not say which they mean.
    pub(crate) settled: BTreeMap<usize, Vec<String>>,
}

impl World {
    /// How a call refers to the workspace.
    pub(crate) fn named(&self, reference: Reference) -> Option<String> {
        match reference {
            Reference::Id => Some(self.workspace.to_string()),
            Reference::Alias => Some(ALIAS.to_owned()),
            Reference::None => None,
        }
    }

    /// Whose calls a case is made of.
    pub(crate) fn tokens(&self, case: Case) -> Option<&Vec<String>> {
        let whose = match case.reference {
            Reference::Id | Reference::Alias => &self.busy,
            Reference::None => &self.settled,
        };
        whose.get(&case.roster)
    }

    /// For that many connections of the load to a gateway at `origin`.
    pub(crate) async fn make(conn: &mut Conn, origin: &str, wide: usize) -> Result<Self> {
        let tenant = storage::tenant::ensure(conn, TENANT).await?;
        storage::tenant::apply(conn, tenant, DECLARATION).await?;
        let account =
            storage::account::ensure(conn, tenant, "Bench", AccountState::Approved).await?;
        let workspace = storage::workspace::insert(conn, tenant, account, "Site").await?;
        storage::workspace::insert_alias(conn, tenant, workspace, ALIAS).await?;
        fill(conn, tenant, workspace).await?;
        let client = client(conn, tenant).await?;
        let scopes: Scopes = [Scope::Read, Scope::Write].into_iter().collect();
        let resource = Issuer::of_origin(origin).resource(&Address::of(SERVER));
        let mut seat =
            Seat { tenant, account, workspace, consent: consent(client, &resource, &scopes) };
        let (mut busy, mut settled) = (BTreeMap::new(), BTreeMap::new());
        for roster in ROSTERS {
            let others = WorkspaceState::Live;
            busy.insert(roster, seat.take(conn, roster, others, wide).await?);
            let others = WorkspaceState::Archived;
            settled.insert(roster, seat.take(conn, roster, others, wide).await?);
        }
        Ok(Self { tenant, workspace, busy, settled })
    }
}

/// A board as people have them: three columns, a dozen cards.
async fn fill(conn: &mut Conn, tenant: TenantId, workspace: WorkspaceId) -> Result<()> {
    let board = storage::board::insert(conn, tenant, workspace, BOARD).await?;
    let titles = ["To do", "Doing", "Done"].map(str::to_owned);
    storage::board_column::insert(conn, tenant, board, &titles).await?;
    for column in storage::board_column::of_board(conn, tenant, board).await? {
        for number in 1..=4 {
            let title = format!("Card {number} of {}", column.title);
            let content = Content { title: &title, body: "What there is to do.", assignee: None };
            storage::card::insert(conn, tenant, board, column.id, content).await?;
        }
    }
    Ok(())
}

async fn client(conn: &mut Conn, tenant: TenantId) -> Result<ClientId> {
    let registration = Registration {
        digest: [7; 32],
        name: Some("Bench"),
        redirect_uris: &[REDIRECT.to_owned()],
        metadata: &serde_json::json!({}),
    };
    Ok(storage::client::register(conn, tenant, &registration).await?.id)
}

/// Where people are given a place.
struct Seat<'s> {
    tenant: TenantId,
    account: AccountId,
    workspace: WorkspaceId,
    consent: Consent<'s>,
}

impl Seat<'_> {
    /// A new person who is in so many workspaces, and a token for each connection of the load.
    async fn take(
        &mut self,
        conn: &mut Conn,
        roster: usize,
        others: WorkspaceState,
        wide: usize,
    ) -> Result<Vec<String>> {
        let Self { tenant, account, workspace, consent } = self;
        let (tenant, member) = (*tenant, Role::Member);
        let email = format!("{others}-{roster}@bench.example");
        let person = storage::person::ensure(conn, tenant, &email, "Person").await?;
        storage::membership::upsert(conn, tenant, person, *workspace, member).await?;
        for other in 1..roster {
            let name = format!("{others} {roster} {other}");
            let other = storage::workspace::insert(conn, tenant, *account, &name).await?;
            storage::membership::upsert(conn, tenant, person, other, member).await?;
            storage::workspace::set_state(conn, tenant, other, others).await?;
        }
        consent.person = person;
        let mut tokens = Vec::new();
        for _ in 0..wide {
            let connection = storage::connection::insert(conn, tenant, consent).await?;
            let connection = connection.made().context("the person is gone")?;
            let mut secret = [0; 32];
            secret[..16].copy_from_slice(connection.as_uuid().as_bytes());
            let token = PlainToken::mint(Kind::AccessToken, secret);
            storage::access_token::insert(conn, tenant, &token.hash(), connection, None).await?;
            tokens.push(token.expose().to_owned());
        }
        Ok(tokens)
    }
}

fn consent<'c>(client: ClientId, resource: &'c str, scopes: &'c Scopes) -> Consent<'c> {
    Consent {
        person: PersonId::from_uuid(Uuid::nil()),
        client,
        resource,
        server: SERVER,
        host: None,
        version: 1,
        redirect_uri: REDIRECT,
        scopes,
        pinned: None,
        is_read_only: false,
        workspaces: None,
        ttl: None,
    }
}
