//! Several messages of one body, answered one after the other: each call enters by itself, so that
//! what ends in the middle ends for the rest. Refuses to know what is asked for.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use portico_mcp::{Message, Method, Rejection, Request};
use portico_tokens::Bearer;

use super::door::{Door, Visitor};
use super::refusal::Refusal;
use super::{json, respond};

/// What a body with several messages is answered with: an answer to each request, in their order.
/// What is wrong with one is told in its place, in a 200.
pub(super) async fn answer(
    door: Door<'_>,
    token: &Bearer<'_>,
    visitor: &Visitor<'_>,
    batch: &[Result<Message<'_>, Rejection>],
) -> Response {
    let mut answers = Vec::new();
    let mut stopped: Option<Rejection> = None;
    for element in batch {
        let request = match element {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notice) => continue,
            Err(rejection) => {
                answers.push(rejection.body());
                continue;
            }
        };
        if stopped.is_none() {
            match one(door, token, visitor, request).await {
                Ok(body) => answers.push(body),
                Err(Stopped::This(refusal)) => {
                    answers.push(refusal.into_rejection().answering(&request.id).body());
                }
                Err(Stopped::Rest(refusal)) => stopped = Some(refusal.into_rejection()),
            }
        }
        answers.extend(stopped.clone().map(|it| it.answering(&request.id).body()));
    }
    if answers.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    json(format!("[{}]", answers.join(",")))
}

/// How far a refusal reaches.
enum Stopped {
    This(Refusal),
    /// What comes after it would be refused for the same.
    Rest(Refusal),
}

async fn one(
    door: Door<'_>,
    token: &Bearer<'_>,
    visitor: &Visitor<'_>,
    request: &Request<'_>,
) -> Result<String, Stopped> {
    let entered = match &request.method {
        Method::CallTool(call) => {
            Some(Box::pin(door.enter(token, Some(call))).await.map_err(Stopped::Rest)?)
        }
        Method::Initialize | Method::Ping | Method::Discover | Method::ListTools => None,
    };
    let visitor = entered.as_ref().unwrap_or(visitor);
    Box::pin(respond(door.app, visitor, request)).await.map_err(|refusal| {
        if refusal.is_fault() { Stopped::Rest(refusal) } else { Stopped::This(refusal) }
    })
}
