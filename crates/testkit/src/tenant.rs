//! A vendor with its customers: accounts, workspaces and people, made as a test names them.

use portico_model::{
    AccountId, AccountState, Issuer, TenantId, TenantState, WorkspaceId, WorkspaceState,
};
use portico_server::app::modules;
use portico_server::tenant::apply;
use portico_storage as storage;

use crate::person::Newcomer;
use crate::{Database, Gateway};

const DECLARATION: &str = include_str!("acme.toml");

/// More than a test makes: those that are about limits declare others.
const GENEROUS: &str = "calls_per_minute = 100_000\nwrites_per_day = 100_000";

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
        Self::declared(gateway, slug, &document(slug, GENEROUS)).await
    }

    /// With a declaration of its own.
    pub async fn declared(gateway: Gateway, slug: &str, document: &str) -> Self {
        let mut conn = storage::acquire(gateway.pool()).await.unwrap();
        let applied = apply(&mut conn, &modules(), slug, document).await.unwrap();
        drop(conn);
        Self { id: applied.tenant, slug: slug.to_owned(), gateway }
    }

    /// Puts another declaration in force, and says how many connections that ended.
    pub async fn apply(&self, document: &str) -> usize {
        let mut tx = storage::begin(self.gateway.pool()).await.unwrap();
        let applied = apply(&mut tx, &modules(), &self.slug, document).await.unwrap();
        storage::commit(tx).await.unwrap();
        assert_eq!(applied.tenant, self.id);
        applied.ended
    }

    /// Its declaration, for a test to change.
    pub fn document(&self) -> String {
        document(&self.slug, GENEROUS)
    }

    /// Its declaration with a host for the server.
    pub fn document_with_host(&self, host: &str) -> String {
        let server = format!("name = \"{SERVER}\"");
        self.document().replacen(&server, &format!("{server}\nhosts = [\"{host}\"]"), 1)
    }

    /// Gives its server a vanity host, proved, and answers the address.
    pub async fn add_host(&self, host: &str) -> String {
        self.apply(&self.document_with_host(host)).await;
        self.prove(host).await;
        Issuer::of_host(self.gateway.origin(), host, SERVER).url("")
    }

    /// As the operator does it.
    pub async fn prove(&self, host: &str) {
        let mut conn = storage::acquire(self.gateway.pool()).await.unwrap();
        assert!(storage::host::prove(&mut conn, self.id, host).await.unwrap(), "{host}");
    }

    /// Puts its usual declaration in force, with these limits.
    pub async fn limit(&self, limits: &str) {
        self.apply(&document(&self.slug, limits)).await;
    }

    /// The address of its MCP server.
    pub fn resource(&self) -> String {
        self.gateway.issuer(&self.slug).resource(&portico_model::Address::of(SERVER))
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

/// Limits come last, so that a problem is named with the line that it has in the file.
fn document(slug: &str, limits: &str) -> String {
    let document = DECLARATION.replace("tenant = \"acme\"", &format!("tenant = \"{slug}\""));
    format!("{document}\n[limits]\n{limits}\n")
}
