//! A tool's call, handed to the bridge, and what it came to in the words of this endpoint.
//! Refuses to know any rule of a call.

use axum::http::StatusCode;
use portico_bridge::{self as bridge, Call, End, Means};
use portico_discovery as discovery;
use portico_mcp::{CallTool, Code, Rejection, ToolResult};
use portico_model::CallId;
use uuid::Uuid;

use super::door::Visitor;
use super::refusal::Refusal;
use crate::app::App;
use crate::error::{Fault, RpcError};

pub(super) async fn call(
    app: &App,
    visitor: &Visitor<'_>,
    asked: &CallTool<'_>,
) -> Result<ToolResult, Refusal> {
    let Visitor { snapshot, admission, .. } = visitor;
    let id = CallId::from_uuid(Uuid::new_v4());
    let app_url = snapshot.declaration.brand.app_url.as_ref();
    let links = app_url.map(|url| url.as_str().trim_end_matches('/'));
    let pin = visitor.called.pin();
    let limits = snapshot.declaration.limits;
    let call = Call { tenant: snapshot.id, id, asked, pin, links, limits };
    let means = Means { pool: &app.pool, recorder: &app.recorder, leases: &app.leases };
    let made = bridge::call(means, visitor.offer(), admission, call).await;
    let reply = made.map_err(|refusal| refused(visitor, asked, refusal))?;
    if let End::Failed(cause) = &reply.end {
        Fault::of_call(id, cause);
    }
    Ok(reply.into_result())
}

fn refused(visitor: &Visitor<'_>, asked: &CallTool<'_>, refusal: bridge::Refusal) -> Refusal {
    match refusal {
        bridge::Refusal::UnknownTool => Rejection::unknown_tool(&asked.name).into(),
        bridge::Refusal::RateLimited { words, wait } => {
            let code = Code::InvalidRequest;
            let rejection = Rejection::new(StatusCode::TOO_MANY_REQUESTS, code, words);
            Refusal::Plain(RpcError::delayed(rejection, wait))
        }
        bridge::Refusal::InsufficientScope { needed } => {
            let words = format!(
                "{} needs a connection with {needed}; connect again and allow it",
                asked.name,
            );
            let rejection = Rejection::new(StatusCode::FORBIDDEN, Code::InvalidRequest, words);
            let (issuer, path) = (&visitor.snapshot.issuer, visitor.called.path);
            let challenge = discovery::insufficient_scope(issuer, &needed, path);
            Refusal::challenged(rejection, &challenge)
        }
        bridge::Refusal::Overloaded(why) => Fault::overload(&why).into(),
        bridge::Refusal::Storage(error) => error.into(),
    }
}
