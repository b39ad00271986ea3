//! A tool's call, handed to the bridge, and what it came to in the words of this endpoint.
//! Refuses to know any rule of a call.

use axum::http::StatusCode;
use portico_bridge::{self as bridge, Call, End};
use portico_discovery as discovery;
use portico_mcp::{CallTool, Code, Rejection, ToolResult};
use portico_model::CallId;
use uuid::Uuid;

use super::door::Visitor;
use super::refusal::Refusal;
use crate::error::Fault;

pub(super) async fn call(
    visitor: &Visitor<'_>,
    asked: &CallTool<'_>,
) -> Result<ToolResult, Refusal> {
    let Visitor { app, tenant, admission, .. } = visitor;
    let id = CallId::from_uuid(Uuid::new_v4());
    let app_url = tenant.declaration.brand.app_url.as_ref();
    let links = app_url.map(|url| url.as_str().trim_end_matches('/'));
    let call = Call { tenant: tenant.id, id, asked, links };
    let offer = visitor.offer()?;
    match bridge::call(&app.pool, &app.recorder, offer, admission, call).await {
        Ok(reply) => {
            if let End::Failed(cause) = &reply.end {
                Fault::of_call(id, cause);
            }
            Ok(reply.result())
        }
        Err(bridge::Refusal::UnknownTool) => Err(Rejection::unknown_tool(&asked.name).into()),
        Err(bridge::Refusal::InsufficientScope { needed }) => {
            let words = "This connection may not use the tool; connect again and allow more";
            let rejection = Rejection::new(StatusCode::FORBIDDEN, Code::InvalidRequest, words);
            let path = visitor.path();
            let challenge = discovery::insufficient_scope(&tenant.issuer, &needed, &path);
            Err(Refusal::challenged(rejection, &challenge))
        }
        Err(bridge::Refusal::Overloaded(_)) => Err(Fault::overload().into()),
        Err(bridge::Refusal::Storage(error)) => Err(error.into()),
    }
}
