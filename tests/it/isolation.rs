//! Two tenants with one row of everything each, and every statement asked as the one with the
//! other's ids: it finds nothing, changes nothing, and joins nothing of theirs to its own.

mod identity;
mod oauth;
mod work;

use portico_storage::{self as storage, Conn, Result};
use portico_testkit::Database;
use portico_testkit::household::Household;

struct Neighbours {
    db: Database,
    pool: storage::Pool,
    mine: Household,
    theirs: Household,
    before: String,
}

impl Neighbours {
    async fn new() -> Self {
        let db = Database::new().await;
        let pool = db.pool_of(2).await;
        let mut conn = storage::acquire(&pool).await.unwrap();
        let theirs = Household::new(&mut conn, "globex").await;
        let mine = Household::new(&mut conn, "acme").await;
        drop(conn);
        let before = db.dump().await;
        Self { db, pool, mine, theirs, before }
    }

    async fn conn(&self) -> impl std::ops::DerefMut<Target = Conn> + use<> {
        storage::acquire(&self.pool).await.unwrap()
    }

    /// No row of anybody is other than it was.
    async fn nothing_changed(&self) {
        assert_eq!(self.db.dump().await, self.before);
    }
}

/// A row that would have joined two tenants was refused by the named constraint.
fn refused<T: std::fmt::Debug>(constraint: &str, outcome: Result<T>) {
    let error = outcome.expect_err(constraint);
    assert!(error.violates(constraint), "{constraint}: {error:?}");
}
