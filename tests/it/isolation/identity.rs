//! Tenants, accounts, workspaces, people, passwords, sessions and memberships.

use std::time::Duration;

use portico_model::{AccountState, Kind, Role, TenantState, WorkspaceState};
use portico_storage::{account, host, membership, password, person, session, tenant, workspace};
use portico_testkit::household::{ALIAS, EMAIL, NAME, secret};

use super::{Neighbours, refused};

// sec:K01
const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_tenants_own_row_is_the_only_one_that_changes() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;

    assert_eq!(tenant::apply(&mut conn, world.mine.tenant, "anew").await.unwrap(), 2);
    assert!(tenant::set_state(&mut conn, world.mine.tenant, TenantState::Suspended).await.unwrap());

    let theirs = tenant::find_by_slug(&mut conn, "globex").await.unwrap().unwrap();
    assert_eq!((theirs.state, theirs.version), (TenantState::Live, 1));
    assert_eq!(theirs.document, "as declared");
}

#[tokio::test]
async fn accounts_and_workspaces_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let known = account::ensure(&mut conn, mine.tenant, NAME, AccountState::Pending).await;
    assert_eq!(known.unwrap(), mine.account);
    let suspended = AccountState::Suspended;
    assert!(!account::set_state(&mut conn, mine.tenant, theirs.account, suspended).await.unwrap());

    let inserted = workspace::insert(&mut conn, mine.tenant, theirs.account, "spy").await;
    refused("workspaces_account_fkey", inserted);
    let alias =
        workspace::insert_alias(&mut conn, mine.tenant, theirs.workspace, "spy.example").await;
    refused("workspace_aliases_workspace_fkey", alias);
    let found = workspace::find_by_alias(&mut conn, mine.tenant, ALIAS).await.unwrap();
    assert_eq!(found, Some(mine.workspace));
    let archived = WorkspaceState::Archived;
    let changed = workspace::set_state(&mut conn, mine.tenant, theirs.workspace, archived).await;
    assert!(!changed.unwrap());

    world.nothing_changed().await;
}

#[tokio::test]
async fn people_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let known = person::ensure(&mut conn, mine.tenant, EMAIL, "Ada").await.unwrap();
    assert_eq!(known, mine.person);
    assert!(person::find(&mut conn, mine.tenant, theirs.person).await.unwrap().is_none());
    let found = person::find_by_email(&mut conn, mine.tenant, EMAIL).await.unwrap().unwrap();
    assert_eq!(found.id, mine.person);
    assert!(!person::disable(&mut conn, mine.tenant, theirs.person).await.unwrap());

    let set = password::upsert(&mut conn, mine.tenant, theirs.person, "another hash").await;
    refused("passwords_person_fkey", set);
    assert!(password::find(&mut conn, mine.tenant, theirs.person).await.unwrap().is_none());

    world.nothing_changed().await;
}

#[tokio::test]
async fn a_browser_is_signed_in_at_its_own_tenant_only() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let begun =
        session::insert(&mut conn, mine.tenant, theirs.person, &secret(Kind::Session), HOUR).await;
    refused("sessions_person_fkey", begun);
    let found = session::find_live(&mut conn, mine.tenant, &theirs.session).await.unwrap();
    assert!(found.is_none());
    assert!(!session::end(&mut conn, mine.tenant, &theirs.session).await.unwrap());

    world.nothing_changed().await;
}

// sec:K01
#[tokio::test]
async fn a_host_is_its_tenants_to_declare_and_to_lose() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);
    let boards = ["boards".to_owned()];
    let [shared, only_theirs] = ["mcp.acme.example", "mcp.globex.example"].map(str::to_owned);
    for tenant in [mine.tenant, theirs.tenant] {
        host::declare(&mut conn, tenant, std::slice::from_ref(&shared), &boards).await.unwrap();
    }
    host::declare(&mut conn, theirs.tenant, std::slice::from_ref(&only_theirs), &boards)
        .await
        .unwrap();
    assert!(host::prove(&mut conn, theirs.tenant, &only_theirs).await.unwrap());
    assert!(host::prove(&mut conn, theirs.tenant, &shared).await.unwrap());

    assert!(!host::prove(&mut conn, mine.tenant, &only_theirs).await.unwrap());
    refused(host::PROVED_KEY, host::prove(&mut conn, mine.tenant, &shared).await);
    assert!(!host::withdraw(&mut conn, mine.tenant, &only_theirs).await.unwrap());
    // It takes back a word that nobody has given, and not theirs.
    assert!(host::withdraw(&mut conn, mine.tenant, &shared).await.unwrap());
    host::drop_others(&mut conn, mine.tenant, &[]).await.unwrap();

    let listed = host::all(&mut conn, Some(mine.tenant)).await.unwrap();
    assert!(listed.is_empty(), "{listed:?}");
    for host in [shared, only_theirs] {
        let standing = host::standing(&mut conn, &host).await.unwrap().unwrap();
        assert_eq!((standing.slug.as_str(), standing.version), ("globex", 1));
    }
}

#[tokio::test]
async fn memberships_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let admin = Role::Admin;
    membership::upsert(&mut conn, mine.tenant, mine.person, theirs.workspace, admin).await.unwrap();
    let joined =
        membership::upsert(&mut conn, mine.tenant, theirs.person, mine.workspace, admin).await;
    refused("memberships_person_fkey", joined);
    let removed =
        membership::remove(&mut conn, mine.tenant, theirs.person, theirs.workspace).await.unwrap();
    assert!(!removed);
    assert!(membership::roster(&mut conn, mine.tenant, theirs.person).await.unwrap().is_empty());
    let named = membership::by_name(&mut conn, mine.tenant, theirs.connection, NAME).await.unwrap();
    assert!(named.is_empty());
    let usable = membership::of_connection(&mut conn, mine.tenant, theirs.connection).await;
    assert!(usable.unwrap().is_empty());
    let usable = membership::of_connection(&mut conn, mine.tenant, mine.connection).await.unwrap();
    assert_eq!(usable.iter().map(|it| it.id).collect::<Vec<_>>(), [mine.workspace]);
    let roster = membership::roster(&mut conn, mine.tenant, mine.person).await.unwrap();
    assert_eq!(roster.iter().map(|it| it.id).collect::<Vec<_>>(), [mine.workspace]);

    world.nothing_changed().await;
}
