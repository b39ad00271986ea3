//! Tools that are compiled in. Each runs in a transaction of its own in the one workspace that was
//! settled on; a change and its row of the record are one.

use portico_declaration::Offered;
use portico_model::Scope;
use portico_registry::{self as modules, Module};
use portico_storage::admit::Found;
use portico_storage::{self as storage, Pool, Tx};
use serde_json::Value;

use super::Source;
use crate::call::Attempt;
use crate::recorder::Begun;
use crate::tool::{Description, Tool};
use crate::{End, OfferError, Reason, Reply, text};

/// The tool of that name, with the declaration's hints over its own.
pub(super) fn compile(offered: &Offered, modules: &[Module]) -> Result<Tool, OfferError> {
    let mut tools = modules.iter().flat_map(|module| &module.tools);
    let tool = tools
        .find(|tool| tool.name == offered.name)
        .ok_or_else(|| OfferError::UnknownTool(offered.name.clone()))?;
    let description = Description {
        name: tool.name,
        title: tool.title,
        text: tool.description,
        scope: tool.scope,
        hints: offered.hints.or(tool.hints),
        schema: tool.schema.clone(),
    };
    Tool::compile(description, Source::Registry(tool.clone()))
}

/// What ends without an answer changes nothing.
pub(super) async fn run(
    tool: &modules::Tool,
    attempt: &Attempt<'_>,
    begun: &mut Begun,
    found: Found,
    arguments: Value,
) -> storage::Result<Reply> {
    let context = context(attempt, &found);
    let mut tx = begin(attempt.means.pool, tool.scope).await?;
    let reply = match tool.run(&mut tx, &context, arguments).await {
        Ok(answer) => Reply::answered(answer.into_text()),
        Err(modules::Error::Refused(refusal)) => Reply::refused(Reason::Tool, refusal.words()),
        Err(modules::Error::Storage(error)) if error.is_outage() => return Err(error),
        Err(modules::Error::Storage(error)) => Reply::failed(attempt.call.id, error),
    };
    match tool.scope {
        Scope::Read => storage::commit(tx).await?,
        Scope::Write | Scope::Delete => settle(attempt.means.pool, tx, begun, &reply).await?,
    }
    Ok(reply)
}

async fn begin(pool: &Pool, scope: Scope) -> storage::Result<Tx> {
    match scope {
        Scope::Read => storage::begin_read(pool).await,
        Scope::Write | Scope::Delete => storage::begin(pool).await,
    }
}

/// Keeps the change with its row, or the row alone.
async fn settle(pool: &Pool, mut tx: Tx, begun: &mut Begun, reply: &Reply) -> storage::Result<()> {
    let rows: Vec<_> = begun.row(reply).into_iter().collect();
    match reply.end {
        End::Answered => {
            storage::call::insert(&mut tx, &rows).await?;
            storage::commit(tx).await?;
        }
        End::Refused(_) | End::Failed(_) => {
            drop(tx);
            let mut conn = storage::acquire(pool).await?;
            storage::call::insert(&mut conn, &rows).await?;
        }
    }
    begun.written();
    Ok(())
}

fn context(attempt: &Attempt<'_>, found: &Found) -> modules::Context {
    modules::Context {
        tenant: attempt.call.tenant,
        workspace: modules::Workspace { id: found.workspace, name: text::line(&found.name) },
        person: attempt.admission.person,
        connection: attempt.admission.connection,
        call: attempt.call.id,
        links: attempt.call.links.map(str::to_owned),
    }
}
