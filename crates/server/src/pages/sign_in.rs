//! Signing in and out.

use axum::Form;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portico_identity::{HashError, Refusal, session};
use portico_model::{Password, RequestId};
use portico_pages::{Mistake, SignIn, path, render};
use serde::Deserialize;

use super::waiting::{self, Waiting};
use super::{Page, cookie, failed, frame, refusal, to};
use crate::app::App;
use crate::error::{Fault, PageError};
use crate::tenant::{Snapshot, Tenant};

#[derive(Deserialize)]
pub(super) struct Asked {
    request: Option<RequestId>,
}

#[derive(Deserialize)]
pub(super) struct Credentials {
    request: Option<RequestId>,
    email: String,
    password: Password,
}

/// The form. A person who is signed in may use it to sign in as someone else.
pub(super) async fn ask(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Page, PageError> {
    let Query(asked) = asked.map_err(|_| refusal::expired(&tenant))?;
    let waiting = waiting::find(&app, &tenant, &headers, asked.request).await?;
    Ok(form(&tenant, waiting, "", None))
}

/// A new session at every sign-in, so that none can be planted beforehand.
pub(super) async fn sign_in(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    headers: HeaderMap,
    credentials: Result<Form<Credentials>, FormRejection>,
) -> Result<Response, PageError> {
    let Form(credentials) = credentials.map_err(|_| refusal::bad_form(&tenant))?;
    let Credentials { request, email, password } = credentials;
    let waiting = waiting::find(&app, &tenant, &headers, request).await?;
    if let Some(mistake) = missing(&email, &password) {
        return Ok(again(&tenant, waiting, &email, mistake));
    }
    let signed_in =
        portico_identity::sign_in(&app.pool, &app.hasher, tenant.id, &email, password).await;
    let person = match signed_in {
        Ok(person) => person,
        Err(Refusal::WrongEmailOrPassword) => {
            return Ok(again(&tenant, waiting, &email, Mistake::WrongEmailOrPassword));
        }
        Err(Refusal::Disabled) => return Ok(again(&tenant, waiting, &email, Mistake::Disabled)),
        Err(Refusal::Hash(HashError::Busy)) => return Ok(busy(&tenant)),
        Err(Refusal::Hash(error)) => {
            return Err(PageError::of_fault(frame(&tenant), &Fault::unexpected(&error)));
        }
        Err(Refusal::Storage(error)) => return Err(failed(&tenant)(error)),
    };
    let before = cookie::session(&tenant).read(&headers);
    let session = session::begin(&app.pool, tenant.id, person, app.random(), before.as_ref())
        .await
        .map_err(failed(&tenant))?;
    let next = match request {
        Some(request) => to(&tenant, &format!("{}?request={request}", path::CONSENT)),
        None => to(&tenant, path::CONNECTIONS),
    };
    let cookie = cookie::session(&tenant).set(&session);
    Ok(([(header::SET_COOKIE, cookie)], next).into_response())
}

pub(super) async fn sign_out(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    headers: HeaderMap,
) -> Result<impl IntoResponse, PageError> {
    if let Some(held) = cookie::session(&tenant).read(&headers) {
        session::end(&app.pool, tenant.id, &held).await.map_err(failed(&tenant))?;
    }
    let cookie = cookie::session(&tenant).clear();
    Ok(([(header::SET_COOKIE, cookie)], to(&tenant, path::SIGN_IN)))
}

fn missing(email: &str, password: &Password) -> Option<Mistake> {
    if email.trim().is_empty() {
        return Some(Mistake::NoEmail);
    }
    password.expose().is_empty().then_some(Mistake::NoPassword)
}

fn again(tenant: &Snapshot, waiting: Option<Waiting>, email: &str, mistake: Mistake) -> Response {
    let page = form(tenant, waiting, email, Some(mistake));
    (StatusCode::UNPROCESSABLE_ENTITY, page).into_response()
}

fn form(
    tenant: &Snapshot,
    waiting: Option<Waiting>,
    email: &str,
    mistake: Option<Mistake>,
) -> Page {
    let request = waiting.map(|waiting| (waiting.id, waiting.app));
    Page(render(&SignIn { frame: frame(tenant), request, email, mistake }))
}

fn busy(tenant: &Snapshot) -> Response {
    let page = refusal::page(
        tenant,
        StatusCode::SERVICE_UNAVAILABLE,
        [
            "Too many people are signing in",
            "We could not check your password in time.",
            "Wait a few seconds, then try again.",
        ],
    );
    ([(header::RETRY_AFTER, "5")], page).into_response()
}
