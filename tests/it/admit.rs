//! What letting a call in costs, however many workspaces the person has and however they are
//! named: read from the plans of the statements themselves.

use portico_model::{Kind, PersonId, TenantId, TokenHash, WorkspaceId};
use portico_storage::admit::{self, Reference};
use portico_storage::{self as storage, Pool};
use portico_testkit::household::{Household, connect, secret};
use portico_testkit::plan::{self, Plan, PlanFor, Prepared};
use portico_testkit::{Database, random};

/// Buffers, at most. Measured at 28.
const CAP: u64 = 40;

/// How many workspaces people have. All of one person's are called the same.
const ROSTERS: [u32; 3] = [1, 500, 3_000];

const BYSTANDERS: u32 = 2_000;

struct Member {
    token: TokenHash,
    workspace: WorkspaceId,
    alias: String,
}

struct World {
    db: Database,
    tenant: TenantId,
    household: Household,
    members: Vec<(u32, Member)>,
}

// pre:O10
#[tokio::test]
async fn a_call_costs_the_same_however_many_workspaces_a_person_has() {
    let world = World::new().await;
    let pool = world.db.pool_of(1).await;
    for (size, member) in &world.members {
        let id = Reference::Id(member.workspace);
        for reference in [Reference::Unneeded, Reference::Sole, id, Reference::Alias(&member.alias)]
        {
            for mode in [PlanFor::Arguments, PlanFor::Any] {
                let plan = ran(&pool, world.tenant, member, reference, mode).await;
                let buffers = plan.buffers();
                assert!(buffers <= CAP, "{buffers}: {reference:?} of {size}, {mode:?}: {plan:#?}");
            }
        }
    }
}

#[tokio::test]
async fn a_workspace_that_is_named_is_looked_up_and_never_searched_for() {
    let world = World::new().await;
    let pool = world.db.pool_of(1).await;
    for (size, member) in &world.members {
        let id = Reference::Id(member.workspace);
        for reference in [id, Reference::Alias(&member.alias)] {
            for mode in [PlanFor::Arguments, PlanFor::Any] {
                let plan = ran(&pool, world.tenant, member, reference, mode).await;
                for scan in plan.scans_of("memberships") {
                    let by = scan["Index Cond"].as_str().unwrap_or("nothing");
                    let keys = ["tenant_id", "person_id", "workspace_id"];
                    let whole = keys.iter().all(|key| by.contains(key));
                    assert!(whole, "by {by}: {reference:?} of {size}, {mode:?}: {plan:#?}");
                }
                assert_eq!(plan.scans_of("memberships").len(), 1, "{plan:#?}");
            }
        }
    }
}

#[tokio::test]
async fn the_only_workspace_is_found_behind_years_of_archived_ones() {
    let world = World::new().await;
    let tenant = world.tenant;
    world.give(world.household.person, 500, "archived").await;
    world.analyze().await;
    let member = Member {
        token: world.household.token,
        workspace: world.household.workspace,
        alias: String::new(),
    };
    let pool = world.db.pool_of(1).await;
    let admitted = admit::admit(&pool, tenant, &member.token, Reference::Sole).await.unwrap();
    let found: Vec<_> = admitted.unwrap().found.iter().map(|it| it.workspace).collect();
    assert_eq!(found, [member.workspace]);
    for mode in [PlanFor::Arguments, PlanFor::Any] {
        let plan = ran(&pool, tenant, &member, Reference::Sole, mode).await;
        assert!(plan.buffers() <= CAP, "{mode:?}: {plan:#?}");
    }
}

/// Runs the statement as the product does, and then once more to see its plan.
async fn ran(
    pool: &Pool,
    tenant: TenantId,
    member: &Member,
    reference: Reference<'_>,
    mode: PlanFor,
) -> Plan {
    let admitted = admit::admit(pool, tenant, &member.token, reference).await.unwrap().unwrap();
    let mut conn = storage::acquire(pool).await.unwrap();
    plan::choose(&mut conn, mode).await;
    let statement = statement(&plan::prepared(&mut conn).await, reference);
    let mut arguments =
        vec![format!("'\\x{}'", random::hex(member.token.as_bytes())), quoted(tenant)];
    match reference {
        Reference::Unneeded => assert_eq!(admitted.found.len(), 0),
        Reference::Sole => assert_ne!(admitted.found.len(), 0),
        Reference::Id(id) => {
            assert_eq!(admitted.found[0].workspace, member.workspace);
            arguments.push(quoted(id));
        }
        Reference::Alias(alias) => {
            assert_eq!(admitted.found[0].workspace, member.workspace);
            arguments.push(quoted(alias));
        }
    }
    plan::explain(&mut conn, &statement, &arguments).await
}

/// The one text that is for this kind of reference.
fn statement(prepared: &[Prepared], reference: Reference<'_>) -> Prepared {
    let mark = match reference {
        Reference::Unneeded => "null::uuid as workspace_id",
        Reference::Sole => "limit 2",
        Reference::Id(_) => "m.workspace_id = $3",
        Reference::Alias(_) => "lower($3)",
    };
    let mut texts = prepared.iter().filter(|it| it.text.contains(mark));
    let statement = texts.next().unwrap_or_else(|| panic!("no {mark} in {prepared:#?}"));
    assert!(texts.next().is_none(), "{mark} is in two texts");
    statement.clone()
}

impl World {
    async fn new() -> Self {
        let db = Database::new().await;
        let pool = db.pool_of(1).await;
        let mut conn = storage::acquire(&pool).await.unwrap();
        let household = Household::new(&mut conn, "acme").await;
        drop(conn);
        let mut world = Self { tenant: household.tenant, household, db, members: Vec::new() };
        world.crowd().await;
        for size in ROSTERS {
            let mut conn = storage::acquire(&pool).await.unwrap();
            let email = format!("{size}@example.com");
            let person =
                storage::person::ensure(&mut conn, world.tenant, &email, "Ada").await.unwrap();
            let token = secret(Kind::AccessToken);
            let client = world.household.client;
            let connection = connect(&mut conn, world.tenant, person, client).await;
            storage::access_token::insert(&mut conn, world.tenant, &token, connection, None)
                .await
                .unwrap();
            drop(conn);
            world.give(person, size, "live").await;
            let member = world.last_of(person, token).await;
            world.members.push((size, member));
        }
        world.analyze().await;
        world
    }

    /// Many workspaces of one name, all of which the person is in.
    async fn give(&self, person: PersonId, count: u32, state: &str) {
        let (tenant, account) = (self.tenant, self.household.account);
        self.db
            .execute(&format!(
                "with made as (
                     insert into workspaces (tenant_id, account_id, name, state)
                     select '{tenant}', '{account}', 'Homonym', '{state}'
                     from generate_series(1, {count})
                     returning workspace_id
                 ), named as (
                     insert into workspace_aliases (tenant_id, alias, workspace_id)
                     select '{tenant}', workspace_id || '.example', workspace_id from made
                 )
                 insert into memberships (tenant_id, person_id, workspace_id, role, archived)
                 select '{tenant}', '{person}', workspace_id, 'member', '{state}' = 'archived'
                 from made"
            ))
            .await;
    }

    /// Others, so that the tables are worth an index.
    async fn crowd(&self) {
        let (tenant, account) = (self.tenant, self.household.account);
        self.db
            .execute(&format!(
                "with people as (
                     insert into people (tenant_id, email, name)
                     select '{tenant}', 'bystander' || n || '@example.com', 'Bystander'
                     from generate_series(1, {BYSTANDERS}) n
                     returning person_id
                 ), made as (
                     insert into workspaces (tenant_id, account_id, name)
                     select '{tenant}', '{account}', 'Homonym' from generate_series(1, {BYSTANDERS})
                     returning workspace_id
                 ), paired as (
                     select person_id, workspace_id
                     from (select person_id, row_number() over () as n from people) p
                     join (select workspace_id, row_number() over () as n from made) w using (n)
                 )
                 insert into memberships (tenant_id, person_id, workspace_id, role)
                 select '{tenant}', person_id, workspace_id, 'member' from paired"
            ))
            .await;
    }

    async fn analyze(&self) {
        self.db.execute("vacuum analyze").await;
    }

    async fn last_of(&self, person: PersonId, token: TokenHash) -> Member {
        let rows = self
            .db
            .rows(&format!(
                "select workspace_id, alias from memberships
                 join workspace_aliases using (tenant_id, workspace_id)
                 where person_id = '{person}' order by workspace_id desc limit 1"
            ))
            .await;
        let read = |name: &str| rows[0][name].as_str().unwrap().to_owned();
        Member { token, workspace: read("workspace_id").parse().unwrap(), alias: read("alias") }
    }
}

fn quoted(value: impl std::fmt::Display) -> String {
    format!("'{value}'")
}
