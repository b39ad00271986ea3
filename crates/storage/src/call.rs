//! The record: what was called, by whom, and how it ended. Rows are written in batches, and are
//! never changed.

use std::sync::Arc;

use portico_model::{CallId, ClientId, ConnectionId, Outcome, PersonId, TenantId, WorkspaceId};
use time::OffsetDateTime;

use crate::{Conn, Result};

#[derive(Clone, Debug)]
pub struct Call {
    pub tenant: TenantId,
    pub id: CallId,
    pub started_at: OffsetDateTime,
    pub duration_us: i64,
    /// By which door it came: `mcp`.
    pub provider: &'static str,
    /// `tools/call:<name>`
    pub operation: String,
    pub server: Arc<str>,
    pub connection: ConnectionId,
    pub person: PersonId,
    pub client: ClientId,
    pub workspace: Option<WorkspaceId>,
    pub outcome: Outcome,
    /// Why it was refused, as a word for machines.
    pub reason: Option<&'static str>,
    /// JSON, redacted and perhaps cut.
    pub arguments: String,
    pub answer: String,
}

/// Writes the rows in one statement. A batch that is sent again, for want of an answer, is not
/// written twice.
pub async fn insert(conn: &mut Conn, calls: &[Call]) -> Result<()> {
    let tenants: Vec<TenantId> = calls.iter().map(|call| call.tenant).collect();
    let ids: Vec<CallId> = calls.iter().map(|call| call.id).collect();
    let started: Vec<OffsetDateTime> = calls.iter().map(|call| call.started_at).collect();
    let durations: Vec<i64> = calls.iter().map(|call| call.duration_us).collect();
    let providers: Vec<&str> = calls.iter().map(|call| call.provider).collect();
    let operations: Vec<&str> = calls.iter().map(|call| call.operation.as_str()).collect();
    let servers: Vec<&str> = calls.iter().map(|call| &*call.server).collect();
    let connections: Vec<ConnectionId> = calls.iter().map(|call| call.connection).collect();
    let people: Vec<PersonId> = calls.iter().map(|call| call.person).collect();
    let clients: Vec<ClientId> = calls.iter().map(|call| call.client).collect();
    let workspaces: Vec<Option<WorkspaceId>> = calls.iter().map(|call| call.workspace).collect();
    let outcomes: Vec<Outcome> = calls.iter().map(|call| call.outcome).collect();
    let reasons: Vec<Option<&str>> = calls.iter().map(|call| call.reason).collect();
    let arguments: Vec<&str> = calls.iter().map(|call| call.arguments.as_str()).collect();
    let answers: Vec<&str> = calls.iter().map(|call| call.answer.as_str()).collect();
    sqlx::query!(
        r#"
        insert into calls (
            tenant_id, call_id, started_at, duration_us, provider, operation, server,
            connection_id, person_id, client_id, workspace_id, outcome, reason, arguments, answer
        )
        select * from unnest(
            $1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[], $5::text[], $6::text[],
            $7::text[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::text[],
            $13::text[], $14::text[], $15::text[]
        )
        on conflict do nothing
        "#,
        &tenants as &[TenantId],
        &ids as &[CallId],
        &started,
        &durations,
        &providers as &[&str],
        &operations as &[&str],
        &servers as &[&str],
        &connections as &[ConnectionId],
        &people as &[PersonId],
        &clients as &[ClientId],
        &workspaces as &[Option<WorkspaceId>],
        &outcomes as &[Outcome],
        &reasons as &[Option<&str>],
        &arguments as &[&str],
        &answers as &[&str],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Makes today's partition and the next days', so that the default one stays empty.
pub async fn ensure_partitions(conn: &mut Conn) -> Result<()> {
    sqlx::query!("select ensure_call_partitions(2)").execute(conn).await?;
    Ok(())
}
