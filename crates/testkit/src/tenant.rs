//! A vendor with its customers: accounts, workspaces and people, made as a test names them.

use portico_model::{AccountId, AccountState, TenantId, TenantState, WorkspaceId, WorkspaceState};
use portico_server::app::modules;
use portico_server::tenant::apply;
use portico_storage as storage;

use crate::person::Newcomer;
use crate::{Database, Gateway};

/// The declaration that the demo has.
const DECLARATION: &str = include_str!("../../../deploy/demo/acme.toml");

/// The server that it declares.
pub const SERVER: &str = "boards";

#[derive(Clone)]
pub struct Tenant {
    pub id: TenantId,
    pub slug: String,
    pub gateway: Gateway,
}

impl Tenant {
    /// Acme, which has the origin for itself.
    pub async fn new(db: &Database) -> Self {
        Self::named(Gateway::bound(db, "acme").await, "acme").await
    }

    /// One of several on a gateway.
    pub async fn named(gateway: Gateway, slug: &str) -> Self {
        let document = DECLARATION.replace("tenant = \"acme\"", &format!("tenant = \"{slug}\""));
        Self::declared(gateway, slug, &document).await
    }

    /// With a declaration of its own.
    pub async fn declared(gateway: Gateway, slug: &str, document: &str) -> Self {
        let mut conn = storage::acquire(gateway.pool()).await.unwrap();
        let id = apply(&mut conn, &modules(), slug, document).await.unwrap();
        drop(conn);
        Self { id, slug: slug.to_owned(), gateway }
    }

    /// Puts another declaration in force.
    pub async fn apply(&self, document: &str) {
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        let applied = apply(&mut conn, &modules(), &self.slug, document).await.unwrap();
        assert_eq!(applied, self.id);
    }

    /// The demo's declaration, for a test to change.
    pub fn document(&self) -> String {
        DECLARATION.replace("tenant = \"acme\"", &format!("tenant = \"{}\"", self.slug))
    }

    /// The address of its MCP server.
    pub fn resource(&self) -> String {
        self.gateway.issuer(&self.slug).resource(SERVER)
    }

    /// The address of a page.
    pub fn url(&self, path: &str) -> String {
        self.gateway.issuer(&self.slug).url(path)
    }

    /// Somebody to be. Awaiting makes the person: `acme.person("ada").member_of("docs").await`.
    pub fn person(&self, name: &str) -> Newcomer {
        Newcomer::new(self.clone(), name)
    }

    /// A live workspace called so, with the alias `<name>.example`, of an approved account that is
    /// called so too.
    pub async fn workspace(&self, name: &str) -> WorkspaceId {
        self.workspace_of(name, name).await
    }

    /// A workspace of that account; the one that there is, if there is one.
    pub async fn workspace_of(&self, account: &str, name: &str) -> WorkspaceId {
        let account = self.account(account).await;
        let alias = format!("{name}.example");
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        let known = storage::workspace::find_by_alias(&mut conn, self.id, &alias).await.unwrap();
        if let Some(known) = known {
            return known;
        }
        let made = storage::workspace::insert(&mut conn, self.id, account, name).await.unwrap();
        storage::workspace::insert_alias(&mut conn, self.id, made, &alias).await.unwrap();
        made
    }

    pub async fn account(&self, name: &str) -> AccountId {
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        storage::account::ensure(&mut conn, self.id, name, AccountState::Approved).await.unwrap()
    }

    pub async fn set_account(&self, name: &str, state: AccountState) {
        let account = self.account(name).await;
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        let found = storage::account::set_state(&mut conn, self.id, account, state).await.unwrap();
        assert!(found, "there is no account {name}");
    }

    pub async fn set_workspace(&self, name: &str, state: WorkspaceState) {
        let workspace = self.workspace(name).await;
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        let found =
            storage::workspace::set_state(&mut conn, self.id, workspace, state).await.unwrap();
        assert!(found, "there is no workspace {name}");
    }

    pub async fn set_state(&self, state: TenantState) {
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        assert!(storage::tenant::set_state(&mut conn, self.id, state).await.unwrap());
    }
}
