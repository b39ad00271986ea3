//! Tables of tokens, codes and those who have them are the service's alone: another role reads
//! no row of them, whatever it was granted.

use portico_server::serve;
use portico_storage as storage;
use portico_testkit::household::Household;
use portico_testkit::{Database, ORIGIN, Portico, Scratch, Tenant, random};
use serde_json::{Value, json};
use url::Url;

/// Tables of ours, by whether rows are kept from other roles.
const TABLES: &str = "select relname as name, relrowsecurity as is_closed from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1";

/// What a table that lets somebody in has.
const TELLING: &str = "select distinct table_name as name from information_schema.columns
    where table_schema = 'public'
      and (column_name like '%\\_hash' or table_name like '%token%' or table_name like '%secret%')";

/// Another than the tables' owner, with every grant.
struct Role(String);

impl Role {
    async fn new(db: &Database) -> Self {
        let role = format!("portico_test_{}", random::word());
        db.execute(&format!(
            "create role {role}; grant all on schema public to {role};
             grant all on all tables in schema public to {role};"
        ))
        .await;
        Self(role)
    }

    /// Of the database, as that role.
    fn url(&self, db: &Database) -> String {
        let mut url = Url::parse(db.url()).unwrap();
        url.query_pairs_mut().append_pair("options", &format!("-c role={}", self.0));
        url.into()
    }

    async fn drop(self, db: &Database) {
        let Self(role) = self;
        db.execute(&format!("drop owned by {role}; drop role {role}")).await;
    }
}

fn names(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["name"].as_str().unwrap()).collect()
}

// pre:O26
#[tokio::test]
async fn another_role_with_every_grant_reads_no_row_of_a_closed_table() {
    let db = Database::new().await;
    let pool = db.pool_of(1).await;
    let mut conn = storage::acquire(&pool).await.unwrap();
    Household::new(&mut conn, "acme").await;
    drop(conn);
    db.execute(
        "insert into security_events (tenant_id, event) select tenant_id, 'connected' from tenants;
         insert into connection_workspaces
         select c.tenant_id, c.connection_id, w.workspace_id from connections c, workspaces w;",
    )
    .await;
    let role = Role::new(&db).await;
    let other = Database::at(&role.url(&db));

    let mut told = Vec::new();
    for table in db.rows(TABLES).await {
        let (name, is_closed) = (table["name"].as_str().unwrap(), &table["is_closed"]);
        let count = format!("select count(*) as rows from {name}");
        let (all, read) = (db.rows(&count).await, other.rows(&count).await);
        let reads = if *is_closed == json!(true) { json!(0) } else { all[0]["rows"].clone() };
        assert_eq!(read[0]["rows"], reads, "{name}");
        if *is_closed == json!(true) && all[0]["rows"] != json!(0) {
            told.push(name.to_owned());
        }
    }
    role.drop(&db).await;
    // So many of them had a row to hide.
    insta::assert_snapshot!(
        told.join(" "),
        @"access_tokens authorization_codes authorization_requests clients connection_workspaces connections passwords refresh_tokens security_events sessions"
    );
}

// pre:O26
#[tokio::test]
async fn nothing_is_served_or_imported_as_a_role_that_reads_no_token() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let role = Role::new(&db).await;
    let url = role.url(&db);
    // What `serve` and `dev` begin with.
    let served = serve::open(&url).await.unwrap_err().to_string();
    let scratch = Scratch::new();
    let file = scratch.path().join("tokens.jsonl");
    std::fs::write(&file, "").unwrap();
    let said = Portico::run(
        &[
            &["connections", "import", file.to_str().unwrap(), "--public-url", ORIGIN],
            &["--tenant", &acme.slug, "--bound", &acme.slug][..],
        ]
        .concat(),
        &url,
    );
    assert!(serve::open(db.url()).await.is_ok());
    // A database that is new has nothing to hide yet.
    let empty = Database::empty().await;
    assert!(serve::open(empty.url()).await.is_ok());
    role.drop(&db).await;
    insta::assert_snapshot!(format!("{served}\n{said}"), @r"
    the database's role reads no token, since the tables are another's; use the role that migrated them, or give them to this one
    1: portico: the database's role reads no token, since the tables are another's; use the role that migrated them, or give them to this one
    ");
}

// pre:O26
#[tokio::test]
async fn a_table_that_could_let_somebody_in_is_closed_and_granted_to_nobody() {
    let db = Database::new().await;
    let all = db.rows(TABLES).await;
    let closed: Vec<Value> =
        all.into_iter().filter(|table| table["is_closed"] == json!(true)).collect();
    let telling = db.rows(TELLING).await;
    let open: Vec<_> =
        names(&telling).into_iter().filter(|name| !names(&closed).contains(name)).collect();
    assert_eq!(open, Vec::<&str>::new(), "close them as 0011_closed_tables.sql does");
    let granted = "select table_name as name from information_schema.role_table_grants
        where grantee = 'PUBLIC' and table_schema = 'public'";
    assert_eq!(db.rows(granted).await, Vec::<Value>::new());
    let policies = db.rows("select polname as name from pg_policy").await;
    assert_eq!(policies, Vec::<Value>::new(), "a policy opens a table");
}
