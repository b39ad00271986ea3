//! `GET /oauth/authorize`: an application sends a person here. The request is kept and the browser
//! goes on to the question; nothing is minted, so that it may be fetched as often as one likes.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use portico_model::{Kind, PlainToken};
use portico_oauth::authorization::{self, DeadEnd, Refusal};
use portico_pages::{Problem, path};

use crate::app::App;
use crate::error::{Fault, PageError};
use crate::pages::{cookie, frame};
use crate::tenant::{Snapshot, Tenant};

/// As much of a foreign address as is shown to a person.
const SHOWN: usize = 200;

pub(super) async fn begin(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let held = cookie::browser(&tenant).read(&headers);
    let is_new = held.is_none();
    let browser = held.unwrap_or_else(|| PlainToken::mint(Kind::Browser, app.random()));
    let query = query.unwrap_or_default();
    let begun = authorization::begin(&app.pool, tenant.authority(), &query, &browser.hash()).await;
    let target = match begun {
        Ok(request) => {
            format!("{}{}?request={request}", tenant.issuer.path(), path::CONSENT)
        }
        Err(Refusal::Answer(answer)) => answer.to.into(),
        Err(Refusal::DeadEnd(end)) => return Err(problem(&tenant, &end)),
        Err(Refusal::Storage(error)) => {
            return Err(PageError::of_fault(frame(&tenant), &Fault::of_storage(&error)));
        }
    };
    let mut response = Redirect::to(&target).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    if is_new {
        headers.insert(header::SET_COOKIE, cookie::browser(&tenant).set(&browser));
    }
    Ok(response)
}

/// A form sent to this address; clients send people by GET alone.
pub(super) async fn only_get(Tenant(tenant): Tenant) -> PageError {
    let words = [
        "This address is opened, not sent to",
        "A form was sent to it, so nothing was done.",
        "Go back to the app and connect again.",
    ];
    page(&tenant, StatusCode::METHOD_NOT_ALLOWED, words)
}

/// The page of a request that nobody can be told about but the person.
fn problem(tenant: &Snapshot, end: &DeadEnd) -> PageError {
    let [title, happened, next] = &words(end);
    page(tenant, StatusCode::BAD_REQUEST, [title, happened, next])
}

fn page(tenant: &Snapshot, status: StatusCode, [title, happened, next]: [&str; 3]) -> PageError {
    let problem = Problem { frame: frame(tenant), title, happened, next, reference: None };
    PageError::new(status, &problem)
}

fn words(end: &DeadEnd) -> [String; 3] {
    match end {
        DeadEnd::UnknownClient => [
            "This app is not known here".to_owned(),
            "It remembers a registration that does not exist. Nothing was connected.".to_owned(),
            "Make the app forget the connection, then connect again. In Claude Code: /mcp, then \
             clear the authentication. In other apps: remove the server and add it again."
                .to_owned(),
        ],
        DeadEnd::OtherRedirect { asked, registered } => [
            "This app asked for an answer at another address".to_owned(),
            format!(
                "It wants the answer at {}, and had registered {}. Nothing was connected.",
                shown(asked),
                shown(&registered.join(", ")),
            ),
            "This is a mistake of the app. Tell its makers both addresses.".to_owned(),
        ],
        DeadEnd::Malformed(_) | DeadEnd::NoClient | DeadEnd::NoRedirect => [
            "This app's request cannot be read".to_owned(),
            format!("In it, {end}. Nothing was connected."),
            "Go back to the app and connect again.".to_owned(),
        ],
    }
}

fn shown(address: &str) -> String {
    match address.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &address[..end]),
        None => address.to_owned(),
    }
}
