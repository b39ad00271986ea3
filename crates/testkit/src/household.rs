//! One row of everything that a tenant has, made by storage alone: for the tests that are about
//! statements, not about the way to them.

use std::time::Duration;

use portico_model::{
    AccountId, AccountState, BoardId, CallId, CardId, ClientId, ColumnId, ConnectionId, Kind,
    PersonId, PlainToken, RequestId, Role, Scope, Scopes, TenantId, TokenHash, WorkspaceId,
};
use portico_storage::authorization_code::Issued;
use portico_storage::authorization_request::Asked;
use portico_storage::card::Content;
use portico_storage::client::Registration;
use portico_storage::connection::Consent;
use portico_storage::{self as storage, Conn};
use serde_json::json;
use uuid::Uuid;

use crate::random;

pub const ALIAS: &str = "docs.example";
pub const EMAIL: &str = "ada@example.com";
pub const NAME: &str = "docs";
pub const RESOURCE: &str = "https://gateway.example/mcp/boards";
pub const REDIRECT: &str = "https://claude.ai/api/mcp/auth_callback";
pub const BOARD: &str = "Launch";
pub const CARD: &str = "Write the announcement";
pub const DIGEST: [u8; 32] = [7; 32];

const TTL: Duration = Duration::from_mins(10);

#[derive(Debug)]
pub struct Household {
    pub tenant: TenantId,
    pub account: AccountId,
    pub workspace: WorkspaceId,
    pub person: PersonId,
    pub client: ClientId,
    pub connection: ConnectionId,
    pub request: RequestId,
    pub board: BoardId,
    pub column: ColumnId,
    pub card: CardId,
    pub call: CallId,
    pub session: TokenHash,
    pub browser: TokenHash,
    pub code: TokenHash,
    pub token: TokenHash,
    pub refresh_token: TokenHash,
}

impl Household {
    pub async fn new(conn: &mut Conn, slug: &str) -> Self {
        let tenant = storage::tenant::ensure(conn, slug).await.unwrap();
        storage::tenant::apply(conn, tenant, "as declared").await.unwrap();
        let approved = AccountState::Approved;
        let account = storage::account::ensure(conn, tenant, NAME, approved).await.unwrap();
        let workspace = storage::workspace::insert(conn, tenant, account, NAME).await.unwrap();
        assert!(storage::workspace::insert_alias(conn, tenant, workspace, ALIAS).await.unwrap());
        let person = storage::person::ensure(conn, tenant, EMAIL, "Ada").await.unwrap();
        storage::password::upsert(conn, tenant, person, "a hash").await.unwrap();
        storage::membership::upsert(conn, tenant, person, workspace, Role::Member).await.unwrap();
        let session = secret(Kind::Session);
        storage::session::insert(conn, tenant, person, &session, TTL).await.unwrap();
        let client = register(conn, tenant).await;
        let browser = secret(Kind::Browser);
        let request = ask(conn, tenant, client, &browser).await;
        let connection = connect(conn, tenant, person, client).await;
        let code = secret(Kind::Code);
        let issued =
            Issued { connection, redirect_uri: REDIRECT, challenge: "a challenge", ttl: TTL };
        storage::authorization_code::insert(conn, tenant, &code, &issued).await.unwrap();
        let token = secret(Kind::AccessToken);
        storage::access_token::insert(conn, tenant, &token, connection, None).await.unwrap();
        let refresh_token = secret(Kind::RefreshToken);
        storage::refresh_token::insert(conn, tenant, &refresh_token, connection, TTL)
            .await
            .unwrap();
        let board = storage::board::insert(conn, tenant, workspace, BOARD).await.unwrap();
        storage::board_column::insert(conn, tenant, board, &["Doing".to_owned()]).await.unwrap();
        let column =
            storage::board_column::of_board(conn, tenant, board).await.unwrap().remove(0).id;
        let content = Content { title: CARD, body: "", assignee: None };
        let card = storage::card::insert(conn, tenant, board, column, content).await.unwrap();
        let call = CallId::from_uuid(Uuid::from_slice(&random::bytes()[..16]).unwrap());
        Self {
            tenant,
            account,
            workspace,
            person,
            client,
            connection,
            request,
            board,
            column,
            card,
            call,
            session,
            browser,
            code,
            token,
            refresh_token,
        }
    }
}

pub fn scopes() -> Scopes {
    [Scope::Read, Scope::Write].into_iter().collect()
}

/// What is stored of a new secret.
pub fn secret(kind: Kind) -> TokenHash {
    PlainToken::mint(kind, random::bytes()).hash()
}

pub async fn register(conn: &mut Conn, tenant: TenantId) -> ClientId {
    let registration = Registration {
        digest: DIGEST,
        name: Some("Claude"),
        redirect_uris: &[REDIRECT.to_owned()],
        metadata: &json!({}),
    };
    storage::client::register(conn, tenant, &registration).await.unwrap().id
}

pub async fn connect(
    conn: &mut Conn,
    tenant: TenantId,
    person: PersonId,
    client: ClientId,
) -> ConnectionId {
    let consent = Consent {
        person,
        client,
        resource: RESOURCE,
        server: "boards",
        host: None,
        version: 1,
        redirect_uri: REDIRECT,
        scopes: &scopes(),
        pinned: None,
        is_read_only: false,
        workspaces: None,
        ttl: None,
    };
    storage::connection::insert(conn, tenant, &consent).await.unwrap().made().unwrap()
}

async fn ask(
    conn: &mut Conn,
    tenant: TenantId,
    client: ClientId,
    browser: &TokenHash,
) -> RequestId {
    let asked = Asked {
        browser,
        client,
        redirect_uri: REDIRECT,
        state: None,
        scopes: &scopes(),
        challenge: "a challenge",
        resource: RESOURCE,
        server: "boards",
        pinned_workspace: None,
        is_read_only: false,
        ttl: TTL,
    };
    storage::authorization_request::insert(conn, tenant, &asked).await.unwrap()
}
