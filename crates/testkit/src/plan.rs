//! How Postgres would run, and ran, the statements that a connection has prepared.

use portico_storage::Conn;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Executor as _, Row as _};

/// A statement that was prepared on a connection.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub name: String,
    pub text: String,
}

/// What the connection has prepared, oldest first.
pub async fn prepared(conn: &mut Conn) -> Vec<Prepared> {
    let rows = conn
        .fetch_all(sqlx::raw_sql(
            "select name, statement from pg_prepared_statements where not from_sql
             order by prepare_time",
        ))
        .await
        .unwrap();
    rows.iter().map(|row| Prepared { name: row.get(0), text: row.get(1) }).collect()
}

/// Runs the statement and answers the plan that it ran by. The arguments are SQL literals.
pub async fn explain(conn: &mut Conn, statement: &Prepared, arguments: &[String]) -> Plan {
    let execute = format!(
        "explain (analyze, buffers, format json) execute \"{}\"({})",
        statement.name,
        arguments.join(", ")
    );
    let row = conn.fetch_one(sqlx::raw_sql(AssertSqlSafe(execute))).await.unwrap();
    Plan(row.get::<Value, _>(0)[0]["Plan"].take())
}

/// Whether Postgres plans for the arguments at hand, or once for all.
pub async fn choose(conn: &mut Conn, mode: PlanFor) {
    let setting = match mode {
        PlanFor::Arguments => "force_custom_plan",
        PlanFor::Any => "force_generic_plan",
    };
    let statement = format!("set plan_cache_mode = {setting}");
    conn.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await.unwrap();
}

#[derive(Clone, Copy, Debug)]
pub enum PlanFor {
    Arguments,
    Any,
}

/// The root of a plan.
#[derive(Debug)]
pub struct Plan(Value);

impl Plan {
    /// Buffers that were looked at, in memory or not.
    pub fn buffers(&self) -> u64 {
        let count = |name: &str| self.0[name].as_u64().unwrap();
        count("Shared Hit Blocks") + count("Shared Read Blocks")
    }

    /// Every node that reads the table.
    pub fn scans_of(&self, table: &str) -> Vec<Value> {
        let mut found = Vec::new();
        collect(&self.0, table, &mut found);
        found
    }
}

fn collect(node: &Value, table: &str, found: &mut Vec<Value>) {
    if node["Relation Name"] == table {
        found.push(node.clone());
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        collect(child, table, found);
    }
}
