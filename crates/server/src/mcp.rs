//! The endpoint of a server: who may come in, in the order in which clients expect to be told, and
//! what a message is answered with. It holds no rule of the protocol and none of a call.

mod body;
mod call;
mod door;
mod refusal;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use portico_mcp::{self as protocol, Answer, Message, Rejection};
use portico_storage::admit::Reference;

use self::body::Arrived;
use self::door::{Door, Visitor};
use self::refusal::Refusal;
use crate::app::App;
use crate::tenant::Tenant;

pub const PATH: &str = "/mcp/{server}";

/// As some people type it. Sending them elsewhere would lose clients.
pub const PATH_WITH_SLASH: &str = "/mcp/{server}/";

pub fn routes() -> Router<App> {
    Router::new().route(PATH, any(answer)).route(PATH_WITH_SLASH, any(answer))
}

/// Any method on `/mcp/{server}`.
async fn answer(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    server: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(server)) = server else {
        return Refusal::no_server().into_response();
    };
    let has_slash = request.uri().path().ends_with('/');
    let door = Door { app: &app, tenant: &tenant, server: &server, has_slash };
    let response = Box::pin(serve(door, request)).await;
    response.unwrap_or_else(Refusal::into_response)
}

async fn serve(door: Door<'_>, request: Request) -> Result<Response, Refusal> {
    let offer = door.offer()?;
    let (head, body) = request.into_parts();
    if head.headers.contains_key(header::ORIGIN) {
        return Err(Refusal::other_origin());
    }
    let token = door.token(&head.headers)?;
    if head.method != Method::POST {
        door.enter(&token, Reference::Unneeded).await?;
        return Err(Refusal::OtherMethod);
    }
    let body = match body::begin(&head.headers, body).await {
        Ok(Arrived::All(body)) => Ok(body),
        Ok(Arrived::Part(rest)) => {
            door.enter(&token, Reference::Unneeded).await?;
            rest.finish().await
        }
        Err(rejection) => Err(rejection),
    };
    let read = body.as_ref().map_err(Rejection::clone);
    let message = read.and_then(|body| protocol::read(&head.headers, body));
    let reference = match &message {
        Ok(Message::Request(request)) => match &request.method {
            protocol::Method::CallTool(call) => offer.reference(call),
            protocol::Method::Initialize
            | protocol::Method::Ping
            | protocol::Method::Discover
            | protocol::Method::ListTools => Reference::Unneeded,
        },
        Ok(Message::Notice) | Err(_) => Reference::Unneeded,
    };
    let visitor = door.enter(&token, reference).await?;
    // What is wrong with a message is told only to those who may send one.
    match message? {
        Message::Notice => Ok(StatusCode::ACCEPTED.into_response()),
        Message::Request(request) => respond(&visitor, &request).await,
    }
}

async fn respond(
    visitor: &Visitor<'_>,
    request: &protocol::Request<'_>,
) -> Result<Response, Refusal> {
    let server = visitor.server()?;
    let instructions = server.instructions.as_deref();
    let answer = |answer: Answer<'_>| answer.body(request, &door::info(server));
    let body = match &request.method {
        protocol::Method::Initialize => answer(Answer::Initialized { instructions }),
        protocol::Method::Ping => answer(Answer::Pong),
        protocol::Method::Discover => answer(Answer::Discovered { instructions }),
        protocol::Method::ListTools => answer(Answer::Tools(visitor.offer()?.list())),
        protocol::Method::CallTool(asked) => {
            let result = call::call(visitor, asked).await;
            answer(Answer::Called(&result.map_err(|refusal| refusal.answering(&request.id))?))
        }
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
