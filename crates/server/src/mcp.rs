//! The endpoint of a server: who may come in, in the order in which clients expect to be told, and
//! what a message is answered with. It holds no rule of the protocol and none of a call.

mod body;
mod call;
mod door;
mod refusal;
mod served;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use portico_mcp::{self as protocol, Answer, Message, Rejection};

use self::body::Arrived;
use self::door::{Address, Door, Visitor};
use self::refusal::Refusal;
pub(crate) use self::served::Served;
use crate::app::App;
use crate::pages;
use crate::tenant::Tenant;

pub(crate) const PATH: &str = "/mcp/{server}";

/// As some people type it. Sending them elsewhere would lose clients.
pub(crate) const PATH_WITH_SLASH: &str = "/mcp/{server}/";

pub(crate) fn routes() -> Router<App> {
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
    let address = Address { server: &server, has_slash: request.uri().path().ends_with('/') };
    let response = match Door::find(&app, &tenant, address) {
        Ok(_) if is_a_persons(&request) => return pages::card(&tenant).into_response(),
        // Boxed, since what is kept while a tool runs is large, and every layer around this one
        // would move it.
        Ok(door) => Box::pin(serve(door, request)).await,
        Err(refusal) => Err(refusal),
    };
    response.unwrap_or_else(Refusal::into_response)
}

/// Whether somebody has put the address into a browser. No client asks for HTML first.
fn is_a_persons(request: &Request) -> bool {
    let headers = request.headers();
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    *request.method() == Method::GET
        && !headers.contains_key(header::AUTHORIZATION)
        && accept.is_some_and(|accept| accept.starts_with("text/html"))
}

async fn serve(door: Door<'_>, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    if head.headers.contains_key(header::ORIGIN) {
        return Err(Refusal::other_origin());
    }
    let token = door.token(&head.headers)?;
    if head.method != Method::POST {
        door.enter(&token, None).await?;
        return Err(Refusal::OtherMethod);
    }
    let body = match body::begin(&head.headers, body).await {
        Ok(Arrived::All(body)) => Ok(body),
        Ok(Arrived::Part(rest)) => {
            door.enter(&token, None).await?;
            rest.finish().await
        }
        Err(rejection) => Err(rejection),
    };
    let read = body.as_ref().map_err(Rejection::clone);
    let message = read.and_then(|body| protocol::read(&head.headers, body));
    let call = message.as_ref().ok().and_then(Message::call);
    let visitor = door.enter(&token, call).await?;
    // What is wrong with a message is told only to those who may send one.
    match message? {
        Message::Notice => Ok(StatusCode::ACCEPTED.into_response()),
        Message::Request(request) => respond(door.app, &visitor, &request).await,
    }
}

async fn respond(
    app: &App,
    visitor: &Visitor<'_>,
    request: &protocol::Request<'_>,
) -> Result<Response, Refusal> {
    let served = &visitor.served;
    let instructions = served.instructions.as_deref();
    let answer = |answer: Answer<'_>| answer.body(request, &served.info());
    let body = match &request.method {
        protocol::Method::Initialize => answer(Answer::Initialized { instructions }),
        protocol::Method::Ping => answer(Answer::Pong),
        protocol::Method::Discover => answer(Answer::Discovered { instructions }),
        protocol::Method::ListTools => answer(Answer::Tools(served.offer.list())),
        protocol::Method::CallTool(asked) => {
            let result = call::call(app, visitor, asked).await;
            answer(Answer::Called(&result.map_err(|refusal| refusal.answering(&request.id))?))
        }
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
