//! Somebody who signs in, allows apps, and leaves workspaces.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use portico_identity::Hasher;
use portico_model::{Kind, Password, PersonId, PlainToken, Role};
use portico_storage as storage;
use portico_storage::connection::Consent;
use url::Url;

use crate::client::{Ask, Client, Registered};
use crate::household::scopes;
use crate::{Browser, Connection, Page, SERVER, Tenant, random};

/// A person whom the test has not finished describing.
pub struct Newcomer {
    tenant: Tenant,
    name: String,
    memberships: Vec<(String, Role)>,
}

#[derive(Clone)]
pub struct Person {
    pub id: PersonId,
    pub name: String,
    pub email: String,
    pub password: String,
    pub tenant: Tenant,
}

impl Newcomer {
    pub(crate) fn new(tenant: Tenant, name: &str) -> Self {
        Self { tenant, name: name.to_owned(), memberships: Vec::new() }
    }

    #[must_use]
    pub fn member_of(self, workspace: &str) -> Self {
        self.with_role(workspace, Role::Member)
    }

    #[must_use]
    pub fn viewer_of(self, workspace: &str) -> Self {
        self.with_role(workspace, Role::Viewer)
    }

    #[must_use]
    pub fn admin_of(self, workspace: &str) -> Self {
        self.with_role(workspace, Role::Admin)
    }

    fn with_role(mut self, workspace: &str, role: Role) -> Self {
        self.memberships.push((workspace.to_owned(), role));
        self
    }

    async fn make(self) -> Person {
        let Self { tenant, name, memberships } = self;
        let email = format!("{name}@{}.example", tenant.slug);
        let password = format!("{name}'s password {}", random::word());
        let hash = Hasher::new(1).hash(Password::new(password.clone())).await.unwrap();
        let mut conn = storage::acquire(tenant.gateway.pool()).await.unwrap();
        let id = storage::person::ensure(&mut conn, tenant.id, &email, &name).await.unwrap();
        storage::password::upsert(&mut conn, tenant.id, id, &hash).await.unwrap();
        drop(conn);
        let person = Person { id, name, email, password, tenant };
        for (workspace, role) in memberships {
            person.join(&workspace, role).await;
        }
        person
    }
}

impl IntoFuture for Newcomer {
    type Output = Person;
    type IntoFuture = Pin<Box<dyn Future<Output = Person> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.make())
    }
}

impl Person {
    /// Becomes a member, or has another role from now on.
    pub async fn join(&self, workspace: &str, role: Role) {
        let workspace = self.tenant.workspace(workspace).await;
        let mut conn = storage::acquire(self.tenant.gateway.pool()).await.unwrap();
        storage::membership::upsert(&mut conn, self.tenant.id, self.id, workspace, role)
            .await
            .unwrap();
    }

    pub async fn leave(&self, workspace: &str) {
        let id = self.tenant.workspace(workspace).await;
        let mut conn = storage::acquire(self.tenant.gateway.pool()).await.unwrap();
        let removed =
            storage::membership::remove(&mut conn, self.tenant.id, self.id, id).await.unwrap();
        assert!(removed, "{} is not in {workspace}", self.name);
    }

    pub async fn disable(&self) {
        let mut conn = storage::acquire(self.tenant.gateway.pool()).await.unwrap();
        assert!(storage::person::disable(&mut conn, self.tenant.id, self.id).await.unwrap());
    }

    /// A browser in which they are signed in.
    pub async fn browser(&self) -> Browser {
        let mut browser = Browser::new(&self.tenant.gateway);
        let page = browser.open(&self.tenant.url("/connections")).await;
        let page = self.sign_in(&mut browser, &page).await;
        assert_eq!(page.answer.status, 200, "{}", page.answer.body);
        browser
    }

    /// Fills in the sign-in form of a page.
    pub async fn sign_in(&self, browser: &mut Browser, page: &Page) -> Page {
        let fields = [("email", self.email.as_str()), ("password", self.password.as_str())];
        browser.press(page, "Sign in", &fields).await
    }

    /// Opens what the app asks for, signs in where asked to, and allows it. Answers the address
    /// that the browser is sent back to.
    pub async fn allow(&self, browser: &mut Browser, ask: &Ask) -> Url {
        let mut page = browser.open(&ask.url()).await;
        if page.has_button("Sign in") {
            page = self.sign_in(browser, &page).await;
        }
        let page = browser.press(&page, "Allow", &[]).await;
        assert!(page.has_left(), "{}: {}", page.url, page.answer.body);
        page.url
    }

    /// The whole way: the app registers, they sign in and allow it, it exchanges its code.
    pub async fn connect(&self, client: Client) -> Connection {
        self.connect_to(client, &self.tenant.resource()).await
    }

    /// The same, to another server than the one that every test tenant has.
    pub async fn connect_to(&self, client: Client, resource: &str) -> Connection {
        let gateway = &self.tenant.gateway;
        let registered = client.register(gateway, resource).await;
        let ask = registered.ask();
        let callback = self.allow(&mut Browser::new(gateway), &ask).await;
        let answer = ask.exchange(gateway, &ask.code(&callback)).await;
        Connection::of_tokens(gateway.clone(), registered, &answer)
    }

    /// A connection of that app made by storage alone, for those who need many; where it can be
    /// renewed, until nobody has done so for that long.
    pub async fn mint(&self, app: &Registered, idle: Option<Duration>) -> Connection {
        let tenant = self.tenant.id;
        let mut conn = storage::acquire(self.tenant.gateway.pool()).await.unwrap();
        let standing = storage::tenant::standing(&mut conn, &self.tenant.slug).await.unwrap();
        let consent = Consent {
            person: self.id,
            client: app.id.parse().unwrap(),
            resource: &app.resource,
            server: SERVER,
            host: None,
            version: standing.unwrap().version,
            redirect_uri: &app.client.redirect_uri,
            scopes: &scopes(),
            pinned: None,
            is_read_only: false,
            workspaces: None,
            ttl: None,
        };
        let made = storage::connection::insert(&mut conn, tenant, &consent).await.unwrap();
        let made = made.made().unwrap();
        let token = PlainToken::mint(Kind::AccessToken, random::bytes());
        storage::access_token::insert(&mut conn, tenant, &token.hash(), made, None).await.unwrap();
        let gateway = self.tenant.gateway.clone();
        let mut minted = Connection::new(gateway, app.clone(), token.expose().to_owned());
        if let Some(idle) = idle {
            let token = PlainToken::mint(Kind::RefreshToken, random::bytes());
            storage::refresh_token::insert(&mut conn, tenant, &token.hash(), made, idle)
                .await
                .unwrap();
            minted.refresh_token = Some(token.expose().to_owned());
        }
        minted
    }
}
