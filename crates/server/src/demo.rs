//! The tenant that `portico dev` serves: its declaration, its people and what is on their boards.
//! Seeding it again changes nothing that somebody has changed since.

use std::net::Ipv4Addr;

use portico_identity::{HashError, Hasher};
use portico_model::{AccountState, Password, PersonId, Role, TenantId, WorkspaceId};
use portico_storage::card::Content;
use portico_storage::{self as storage, Conn, Pool};
use serde::Serialize;

use crate::app::modules;
use crate::tenant;

pub(crate) const TENANT: &str = "acme";
pub(crate) const SERVER: &str = "boards";

const FILE: &str = "acme.toml";
const DECLARATION: &str = include_str!("../../../deploy/demo/acme.toml");

/// What the demo's vanity hosts are on this machine alone. Each is proved by being this machine.
fn hosts() -> [(&'static str, String); 2] {
    [
        ("mcp.acme.example", "localhost".to_owned()),
        ("planner.acme.example", SECOND_LOOPBACK.to_string()),
    ]
}

pub(crate) const SECOND_LOOPBACK: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Tenant(#[from] tenant::Error),
    #[error("the demo could not be stored")]
    Storage(#[from] storage::Error),
    #[error(transparent)]
    Hash(#[from] HashError),
}

/// Who can sign in to the demo.
#[derive(Debug, Serialize)]
pub(crate) struct Person {
    pub email: &'static str,
    pub password: &'static str,
    pub workspaces: Vec<Workspace>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    pub alias: String,
}

struct Home {
    account: &'static str,
    name: &'static str,
    alias: &'static str,
    board: &'static str,
    /// Column and title.
    cards: &'static [(&'static str, &'static str)],
}

const WORKSPACES: [Home; 3] = [
    Home {
        account: "Northwind",
        name: "Website",
        alias: "northwind.example",
        board: "Launch",
        cards: &[
            ("To do", "Write the announcement"),
            ("To do", "Check the sign-up form on a phone"),
            ("Doing", "Translate the pricing page"),
            ("Done", "Choose a date"),
        ],
    },
    Home {
        account: "Northwind",
        name: "Support",
        alias: "help.northwind.example",
        board: "Tickets",
        cards: &[
            ("To do", "Invoice shows the wrong address"),
            ("Doing", "Password mail arrives late"),
        ],
    },
    Home {
        account: "Globex",
        name: "Research",
        alias: "globex.example",
        board: "Interviews",
        cards: &[("To do", "Ask five customers about exports"), ("Done", "Write the questions")],
    },
];

const COLUMNS: [&str; 3] = ["To do", "Doing", "Done"];

struct Seat {
    email: &'static str,
    name: &'static str,
    password: &'static str,
    /// By the workspace's alias.
    memberships: &'static [(&'static str, Role)],
}

const PEOPLE: [Seat; 2] = [
    Seat {
        email: "ada@acme.example",
        name: "Ada Lovelace",
        password: "ada-demo-password",
        memberships: &[
            ("northwind.example", Role::Admin),
            ("help.northwind.example", Role::Member),
            ("globex.example", Role::Member),
        ],
    },
    Seat {
        email: "grace@acme.example",
        name: "Grace Hopper",
        password: "grace-demo-password",
        memberships: &[("help.northwind.example", Role::Member)],
    },
];

fn declaration() -> String {
    let declared = DECLARATION.to_owned();
    hosts().iter().fold(declared, |text, (declared, here)| text.replace(declared, here))
}

/// Stores what is missing of the demo, and says who can sign in. All of it or nothing: a start
/// that is cut short leaves no half of a person behind.
pub(crate) async fn seed(pool: &Pool) -> Result<Vec<Person>, Error> {
    let hasher = Hasher::new(PEOPLE.len());
    let mut tx = storage::begin(pool).await?;
    let tenant = tenant::apply(&mut tx, &modules(), FILE, &declaration()).await?.tenant;
    for (_, host) in hosts() {
        storage::host::prove(&mut tx, tenant, &host).await?;
    }
    for home in &WORKSPACES {
        open(&mut tx, tenant, home).await?;
    }
    let mut people = Vec::new();
    for seat in &PEOPLE {
        let known = storage::person::find_by_email(&mut tx, tenant, seat.email).await?;
        let id = if let Some(known) = known {
            known.id
        } else {
            let id = storage::person::ensure(&mut tx, tenant, seat.email, seat.name).await?;
            join(&mut tx, tenant, id, seat).await?;
            let hash = hasher.hash(Password::new(seat.password.to_owned())).await?;
            storage::password::upsert(&mut tx, tenant, id, &hash).await?;
            id
        };
        people.push(describe(&mut tx, tenant, id, seat).await?);
    }
    storage::commit(tx).await?;
    Ok(people)
}

/// Makes the workspace with its account and its board, unless it is there.
async fn open(conn: &mut Conn, tenant: TenantId, home: &Home) -> Result<(), storage::Error> {
    if storage::workspace::find_by_alias(conn, tenant, home.alias).await?.is_some() {
        return Ok(());
    }
    let approved = AccountState::Approved;
    let account = storage::account::ensure(conn, tenant, home.account, approved).await?;
    let workspace = storage::workspace::insert(conn, tenant, account, home.name).await?;
    storage::workspace::insert_alias(conn, tenant, workspace, home.alias).await?;
    let board = storage::board::insert(conn, tenant, workspace, home.board).await?;
    storage::board_column::insert(conn, tenant, board, &COLUMNS.map(str::to_owned)).await?;
    for column in storage::board_column::of_board(conn, tenant, board).await? {
        for (_, title) in home.cards.iter().filter(|(titled, _)| *titled == column.title) {
            let content = Content { title, body: "", assignee: None };
            storage::card::insert(conn, tenant, board, column.id, content).await?;
        }
    }
    Ok(())
}

async fn join(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    seat: &Seat,
) -> Result<(), storage::Error> {
    for (alias, role) in seat.memberships {
        if let Some(workspace) = storage::workspace::find_by_alias(conn, tenant, alias).await? {
            storage::membership::upsert(conn, tenant, person, workspace, *role).await?;
        }
    }
    Ok(())
}

/// The seat as it is now: a membership that somebody ended is not listed.
async fn describe(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    seat: &Seat,
) -> Result<Person, storage::Error> {
    let roster = storage::membership::roster(conn, tenant, person).await?;
    let workspaces = roster
        .into_iter()
        .filter_map(|it| {
            let alias = it.aliases.into_iter().next()?;
            Some(Workspace { id: it.id, name: it.name, alias })
        })
        .collect();
    Ok(Person { email: seat.email, password: seat.password, workspaces })
}
