//! One call, from the tool's name to the answer, in one order for every caller: tool, scope,
//! arguments, workspace, role, the tool itself, the record.
//!
//! Before the tool runs there is no statement but the one that let the caller in; a name of a
//! workspace costs a second, and the roster is read only for a refusal that lists choices.

use std::time::Instant;

use portico_mcp::CallTool;
use portico_model::{CallId, Outcome, Scope, Scopes, TenantId};
use portico_registry as registry;
use portico_storage::admit::{Admission, Found};
use portico_storage::{self as storage, Pool, membership};
use serde_json::{Map, Value};

use crate::arguments::Invalid;
use crate::denial::Denial;
use crate::recorder::{Begun, Ending};
use crate::tool::{Source, Tool};
use crate::workspace::{Asked, judge};
use crate::{
    End, Offer, Overloaded, Reason, Recorder, Reply, arguments, injection, redaction, roster,
};

/// What is called, and under which id it is recorded.
#[derive(Debug)]
pub struct Call<'c> {
    pub tenant: TenantId,
    pub id: CallId,
    pub asked: &'c CallTool<'c>,
    /// Where the tenant's application shows things to people, without a slash at the end.
    pub links: Option<&'c str>,
}

/// A call that has no result.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the server has no such tool")]
    UnknownTool,
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
    pool: &Pool,
    recorder: &Recorder,
    offer: &Offer,
    admission: &Admission,
    call: Call<'_>,
) -> Result<Reply, Refusal> {
    let started = Instant::now();
    let place = recorder.reserve().await?;
    let mut begun = Begun::new(place, started, draft(offer, admission, &call));
    let Some(tool) = offer.tool(&call.asked.name) else {
        begun.end(&Ending::refused(Reason::UnknownTool));
        return Err(Refusal::UnknownTool);
    };
    let read = arguments::read(call.asked.arguments);
    if let Ok(arguments) = &read {
        let kept = redaction::arguments(&tool.schema, arguments);
        begun.note(|row| row.arguments = kept);
    }
    if !admission.scopes.contains(tool.scope) {
        begun.end(&Ending::refused(Reason::InsufficientScope));
        let needed = admission.scopes.iter().chain([tool.scope]).collect();
        return Err(Refusal::InsufficientScope { needed });
    }
    let attempt = Attempt { pool, admission, call: &call, tool };
    match attempt.make(&mut begun, read).await {
        Ok(Made::Written(reply)) => {
            begun.end_written();
            Ok(reply)
        }
        Ok(Made::Unwritten(reply)) => {
            begun.end(&reply.ending());
            Ok(reply)
        }
        Err(error) if error.is_outage() => {
            begun.end(&Ending::outage());
            Err(Refusal::Storage(error))
        }
        Err(error) => {
            let reply = Reply::failed(call.id, error);
            begun.end(&reply.ending());
            Ok(reply)
        }
    }
}

/// The row of a call of which nothing is known but who makes it.
fn draft(offer: &Offer, admission: &Admission, call: &Call<'_>) -> storage::call::Call {
    storage::call::Call {
        tenant: call.tenant,
        id: call.id,
        started_at: admission.now,
        duration_us: 0,
        provider: "mcp".to_owned(),
        operation: operation(&call.asked.name),
        server: offer.server().to_owned(),
        connection: admission.connection,
        person: admission.person,
        client: admission.client,
        workspace: None,
        outcome: Outcome::Failed,
        reason: None,
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

/// A reply, and whether the record has it already.
enum Made {
    Written(Reply),
    Unwritten(Reply),
}

impl Made {
    fn refused(reason: Reason, words: impl Into<String>) -> Self {
        Self::Unwritten(Reply::refused(reason, words))
    }
}

struct Attempt<'c> {
    pool: &'c Pool,
    admission: &'c Admission,
    call: &'c Call<'c>,
    tool: &'c Tool,
}

impl Attempt<'_> {
    async fn make(
        &self,
        begun: &mut Begun,
        read: Result<Map<String, Value>, Invalid>,
    ) -> storage::Result<Made> {
        let arguments = match read.and_then(|arguments| self.checked(arguments)) {
            Ok(arguments) => arguments,
            Err(fault) => return Ok(Made::refused(Reason::InvalidArguments, fault.to_string())),
        };
        let tool = match &self.tool.source {
            Source::Registry(tool) => tool,
            Source::Roster => {
                let answer = roster::answer(&self.roster().await?);
                return Ok(Made::Unwritten(Reply::answered(answer.into_text())));
            }
        };
        let found = match self.find_workspace().await? {
            Ok(found) => found,
            Err(denial) => {
                let words = denial.words(&self.roster().await?);
                return Ok(Made::refused(denial.reason(), words));
            }
        };
        begun.note(|row| row.workspace = Some(found.workspace));
        if !found.role.allows(tool.scope) {
            return Ok(Made::refused(Reason::Role, role_words(&found, tool.scope)));
        }
        self.run(begun, tool, found, arguments).await
    }

    /// The tool's own arguments.
    fn checked(&self, mut arguments: Map<String, Value>) -> Result<Value, Invalid> {
        if self.tool.needs_workspace() {
            arguments::check_workspace(injection::take(&mut arguments).as_ref())?;
        }
        let arguments = Value::Object(arguments);
        arguments::check(&self.tool.validator, &arguments)?;
        Ok(arguments)
    }

    async fn find_workspace(&self) -> storage::Result<Result<Found, Denial>> {
        let Admission { person, found, .. } = self.admission;
        let asked = Asked::of(self.tool, self.call.asked.workspace.as_deref());
        if let (true, Some(name)) = (found.is_empty(), asked.name()) {
            let mut conn = storage::acquire(self.pool).await?;
            let named = membership::by_name(&mut conn, self.call.tenant, *person, name).await?;
            return Ok(judge(asked, &named).cloned());
        }
        Ok(judge(asked, found).cloned())
    }

    async fn roster(&self) -> storage::Result<Vec<membership::Workspace>> {
        let mut conn = storage::acquire(self.pool).await?;
        membership::roster(&mut conn, self.call.tenant, self.admission.person).await
    }

    /// Runs the tool in a transaction of its own. A change and its row are one, and what ends
    /// without an answer changes nothing.
    async fn run(
        &self,
        begun: &Begun,
        tool: &registry::Tool,
        found: Found,
        arguments: Value,
    ) -> storage::Result<Made> {
        let context = self.context(found);
        let mut tx = storage::begin(self.pool).await?;
        let ran = tool.run(&mut tx, &context, arguments).await;
        let reply = match ran {
            Ok(answer) => Reply::answered(answer.into_text()),
            Err(registry::Error::Refused(refusal)) => Reply::refused(Reason::Tool, refusal.words()),
            Err(registry::Error::Storage(error)) if error.is_outage() => return Err(error),
            Err(registry::Error::Storage(error)) => Reply::failed(self.call.id, error),
        };
        let row = match tool.scope {
            Scope::Read => {
                storage::commit(tx).await?;
                return Ok(Made::Unwritten(reply));
            }
            Scope::Write | Scope::Delete => begun.row(&reply.ending()),
        };
        let rows: Vec<storage::call::Call> = row.into_iter().collect();
        match reply.end {
            End::Answered => {
                storage::call::insert(&mut tx, &rows).await?;
                storage::commit(tx).await?;
            }
            End::Refused(_) | End::Failed(_) => {
                drop(tx);
                let mut conn = storage::acquire(self.pool).await?;
                storage::call::insert(&mut conn, &rows).await?;
            }
        }
        Ok(Made::Written(reply))
    }

    fn context(&self, found: Found) -> registry::Context {
        registry::Context {
            tenant: self.call.tenant,
            workspace: registry::Workspace { id: found.workspace, name: found.name },
            person: self.admission.person,
            connection: self.admission.connection,
            call: self.call.id,
            links: self.call.links.map(str::to_owned),
        }
    }
}

fn role_words(found: &Found, needed: Scope) -> String {
    let Found { name, role, .. } = found;
    format!(
        "Your role in the workspace \"{name}\" is {role}, which does not allow this tool: it \
         needs {needed}. Ask an admin of the workspace to change your role, or do it in another."
    )
}
