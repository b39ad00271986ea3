//! One call, from the tool's name to the answer, in one order for every caller: tool, rate, scope,
//! arguments, workspace, role, budget, the tool itself, the record.
//!
//! Before a tool that reads runs there is no statement but the one that let the caller in, and now
//! and then a lease; a name of a workspace costs another, and the roster is read only for a refusal
//! that lists choices.

use std::sync::Arc;
use std::time::Instant;

use portico_declaration::{Limits, OverLimit};
use portico_mcp::CallTool;
use portico_model::{CallId, Outcome, Scope, Scopes, TenantId};
use portico_storage::admit::{Admission, Found};
use portico_storage::{self as storage, Pool, membership};
use serde_json::{Map, Value};

use crate::arguments::Invalid;
use crate::denial::Denial;
use crate::leases::{Rate, Trouble};
use crate::recorder::Begun;
use crate::tool::Tool;
use crate::workspace::{Asked, judge};
use crate::{
    Leases, Offer, Overloaded, Reason, Recorder, Reply, arguments, injection, limits, text,
};

/// What every call of a process is made with.
#[derive(Clone, Copy, Debug)]
pub struct Means<'p> {
    pub pool: &'p Pool,
    pub recorder: &'p Recorder,
    pub leases: &'p Leases,
}

/// What is called, and under which id it is recorded.
#[derive(Debug)]
pub struct Call<'c> {
    pub tenant: TenantId,
    pub id: CallId,
    pub asked: &'c CallTool<'c>,
    /// The workspace that the address is for, as it is written there.
    pub pin: Option<&'c str>,
    /// Where the tenant's application shows things to people, without a slash at the end.
    pub links: Option<&'c str>,
    /// What the declaration in force allows a connection.
    pub limits: Limits,
}

/// A call that has no result.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the server has no such tool")]
    UnknownTool,
    /// Above the allowance of a minute, where the declaration wants it to be no result.
    #[error("{words}")]
    RateLimited {
        words: String,
        /// Seconds to the next minute.
        wait: u32,
    },
    #[error("the connection lacks the scope of the tool")]
    InsufficientScope {
        /// What the connection has, and what the tool needs: a client asks for all of it.
        needed: Scopes,
    },
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    /// The database is away.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// Makes the call for whom the admission let in, which must have looked up what
/// `Offer::reference` says.
pub async fn call(
    means: Means<'_>,
    offer: &Offer,
    admission: &Admission,
    call: Call<'_>,
) -> Result<Reply, Refusal> {
    let started = Instant::now();
    let place = means.recorder.reserve().await?;
    let mut begun = Begun::new(place, started, draft(offer, admission, &call));
    let Some(tool) = offer.tool(&call.asked.name) else {
        begun.refuse(Reason::UnknownTool);
        return Err(Refusal::UnknownTool);
    };
    match limits::rate(means, admission, &call).await {
        Ok(Rate::Within(at)) => begun.note(|row| row.started_at = at),
        Ok(Rate::Over { wait }) => return over_rate(begun, call.limits, wait),
        Err(Trouble::Asking(error)) => return unanswered(begun, call.id, error),
        Err(Trouble::Shared) => {
            begun.fail(Reason::Outage);
            return Err(Overloaded::Unmeasured.into());
        }
    }
    let read = arguments::read(call.asked.arguments);
    if let Ok(arguments) = &read {
        let kept = tool.redaction.kept(call.asked.arguments, arguments);
        begun.note(|row| row.arguments = kept);
    }
    if !admission.scopes.contains(tool.scope) {
        begun.refuse(Reason::InsufficientScope);
        let needed = admission.scopes.iter().chain([tool.scope]).collect();
        return Err(Refusal::InsufficientScope { needed });
    }
    let attempt = Attempt { means, admission, call: &call, tool };
    match attempt.make(&mut begun, read).await {
        Ok(reply) => {
            begun.end(&reply);
            Ok(reply)
        }
        Err(error) => unanswered(begun, call.id, error),
    }
}

fn over_rate(begun: Begun, limits: Limits, wait: u32) -> Result<Reply, Refusal> {
    let reply = limits::over_rate(limits, wait);
    begun.end(&reply);
    match limits.over_limit {
        OverLimit::ToolError => Ok(reply),
        OverLimit::TooManyRequests => Err(Refusal::RateLimited { words: reply.text, wait }),
    }
}

/// What the database did not answer.
fn unanswered(begun: Begun, id: CallId, error: storage::Error) -> Result<Reply, Refusal> {
    if error.is_outage() {
        begun.fail(Reason::Outage);
        return Err(Refusal::Storage(error));
    }
    let reply = Reply::failed(id, error);
    begun.end(&reply);
    Ok(reply)
}

/// The row of a call of which nothing is known but who makes it: as it stays where the caller goes
/// away before the answer.
fn draft(offer: &Offer, admission: &Admission, call: &Call<'_>) -> storage::call::Call {
    storage::call::Call {
        tenant: call.tenant,
        id: call.id,
        started_at: admission.now,
        duration_us: 0,
        provider: "mcp",
        operation: operation(&call.asked.name),
        server: Arc::clone(offer.server()),
        connection: admission.connection,
        person: admission.person,
        client: admission.client,
        workspace: None,
        outcome: Outcome::Failed,
        reason: Some(Reason::Abandoned.as_str()),
        arguments: "{}".to_owned(),
        answer: String::new(),
    }
}

/// Of a name that is no tool's, as much as a real one could have.
fn operation(tool: &str) -> String {
    const MOST: usize = 128;
    let name: String = tool.chars().filter(|it| !it.is_control()).take(MOST).collect();
    format!("tools/call:{name}")
}

/// A call that its connection may make.
pub(crate) struct Attempt<'c> {
    pub(crate) means: Means<'c>,
    pub(crate) admission: &'c Admission,
    pub(crate) call: &'c Call<'c>,
    tool: &'c Tool,
}

impl Attempt<'_> {
    async fn make(
        &self,
        begun: &mut Begun,
        read: Result<Map<String, Value>, Invalid>,
    ) -> storage::Result<Reply> {
        let arguments = match read.and_then(|arguments| self.checked(arguments)) {
            Ok(arguments) => arguments,
            Err(fault) => return Ok(Reply::refused(Reason::InvalidArguments, fault.to_string())),
        };
        let found = match self.find_workspace().await? {
            Ok(found) => found,
            Err(denial) => return self.denied(&denial).await,
        };
        if let Some(found) = &found {
            begun.note(|row| row.workspace = Some(found.workspace));
            if !found.role.allows(self.tool.scope) {
                return Ok(Reply::refused(Reason::Role, role_words(found, self.tool.scope)));
            }
        }
        let Self { means, admission, call, tool } = *self;
        if let Err(over) = limits::charge(means, admission, call, tool.scope).await? {
            return Ok(over);
        }
        self.tool.source.run(self, begun, found, arguments).await
    }

    /// The tool's own arguments.
    fn checked(&self, mut arguments: Map<String, Value>) -> Result<Value, Invalid> {
        if self.tool.source.needs_workspace() {
            arguments::check_workspace(injection::take(&mut arguments).as_ref())?;
        }
        let arguments = Value::Object(arguments);
        arguments::check(&self.tool.validator, &arguments)?;
        Ok(arguments)
    }

    /// The workspace to work in, if the tool works in one.
    async fn find_workspace(&self) -> storage::Result<Result<Option<Found>, Denial>> {
        if !self.tool.source.needs_workspace() {
            return Ok(Ok(None));
        }
        let Admission { connection, pinned, found, .. } = self.admission;
        let asked = Asked::of(self.tool, self.call.asked.workspace.as_deref(), self.call.pin);
        if let (true, Some(name)) = (found.is_empty(), asked.name()) {
            let mut conn = storage::acquire(self.means.pool).await?;
            let named = membership::by_name(&mut conn, self.call.tenant, *connection, name).await?;
            return Ok(judge(asked, *pinned, &named).cloned().map(Some));
        }
        Ok(judge(asked, *pinned, found).cloned().map(Some))
    }

    /// What the caller can choose from instead is read only now.
    pub(crate) async fn denied(&self, denial: &Denial) -> storage::Result<Reply> {
        let words = denial.words(&self.roster().await?);
        Ok(Reply::refused(denial.reason(), words))
    }

    /// Those of the caller's workspaces that the connection may use.
    pub(crate) async fn roster(&self) -> storage::Result<Vec<membership::Workspace>> {
        let mut conn = storage::acquire(self.means.pool).await?;
        membership::of_connection(&mut conn, self.call.tenant, self.admission.connection).await
    }
}

fn role_words(found: &Found, needed: Scope) -> String {
    let Found { name, role, .. } = found;
    format!(
        "Your role in the workspace {} is {role}, which does not allow this tool: it needs \
         {needed}. Ask an admin of the workspace to change your role, or do it in another.",
        text::quoted(name),
    )
}
