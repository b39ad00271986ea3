//! The endpoint of a server: who may come in, in the order in which clients expect to be told, and
//! what a message is answered with. It holds no rule of the protocol and none of a call.

mod accept;
mod address;
mod batch;
mod body;
mod call;
mod door;
mod refusal;
mod served;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use portico_mcp::{self as protocol, Answer, Incoming, Message, Rejection};
use portico_model::Address;

use self::body::Arrived;
use self::door::{Called, Door, Visitor};
use self::refusal::Refusal;
pub(crate) use self::served::Served;
use crate::app::App;
use crate::pages;
use crate::tenant::Tenant;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(address::PATH, any(answer))
        .route(address::PATH_WITH_SLASH, any(answer))
        .route(address::READ_ONLY, any(answer))
        .route(address::READ_ONLY_WITH_SLASH, any(answer))
        .route(address::PINNED, any(answer))
        .route(address::PINNED_WITH_SLASH, any(answer))
        .route(address::PINNED_READ_ONLY, any(answer))
        .route(address::PINNED_READ_ONLY_WITH_SLASH, any(answer))
}

/// Any method on a server's address.
async fn answer(State(app): State<App>, Tenant(tenant): Tenant, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let Some(address) = Address::parse(&path) else {
        return Refusal::no_server().into_response();
    };
    let called = Called { address: &address, path: tenant.issuer.as_called(&path) };
    let response = match Door::find(&app, &tenant, called) {
        Ok(_) if is_a_persons(&request) => return pages::card(&tenant, &address).into_response(),
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
    let token = door.token(&head).await?;
    if head.method != Method::POST {
        door.enter(&token, None).await?;
        return Err(Refusal::OtherMethod);
    }
    let begun = match accept::check(&head.headers) {
        Ok(()) => body::begin(&head.headers, body).await,
        Err(rejection) => Err(rejection),
    };
    let body = match begun {
        Ok(Arrived::All(body)) => Ok(body),
        Ok(Arrived::Part(rest)) => {
            door.enter(&token, None).await?;
            rest.finish().await
        }
        Err(rejection) => Err(rejection),
    };
    let read = body.as_ref().map_err(Rejection::clone);
    let incoming = read.and_then(|body| protocol::read(&head.headers, body));
    let call = incoming.as_ref().ok().and_then(Incoming::call);
    let visitor = door.enter(&token, call).await?;
    // What is wrong with a message is told only to those who may send one.
    match incoming? {
        Incoming::One(Message::Notice) => Ok(StatusCode::ACCEPTED.into_response()),
        Incoming::One(Message::Request(request)) => {
            respond(door.app, &visitor, &request).await.map(json)
        }
        Incoming::Batch(batch) => Ok(batch::answer(door, &token, &visitor, &batch).await),
    }
}

fn json(body: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn respond(
    app: &App,
    visitor: &Visitor<'_>,
    request: &protocol::Request<'_>,
) -> Result<String, Refusal> {
    let served = &visitor.served;
    let instructions = served.instructions.as_deref();
    let answer = |answer: Answer<'_>| answer.body(request, &served.info());
    Ok(match &request.method {
        protocol::Method::Initialize => answer(Answer::Initialized { instructions }),
        protocol::Method::Ping => answer(Answer::Pong),
        protocol::Method::Discover => answer(Answer::Discovered { instructions }),
        protocol::Method::ListTools => answer(Answer::Tools(visitor.offer().list())),
        protocol::Method::CallTool(asked) => {
            let result = call::call(app, visitor, asked).await;
            answer(Answer::Called(&result.map_err(|refusal| refusal.answering(&request.id))?))
        }
    })
}
