//! The question whether an app may work as the person, and the answer to it.

use axum::Form;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use portico_bridge::usable;
use portico_declaration::{Lifetime, ScopeTitle};
use portico_model::{PersonId, RequestId, Scopes};
use portico_oauth::consent::{self, Pending};
use portico_pages::{AppName, Consent, Stays, render};
use portico_storage::membership::Workspace;
use portico_storage::person::Person;
use portico_storage::{self as storage};
use serde::Deserialize;

use super::signed_in::SignedIn;
use super::{Page, failed, frame, refusal, waiting};
use crate::app::App;
use crate::error::PageError;
use crate::tenant::{Snapshot, Tenant};

#[derive(Deserialize)]
pub(super) struct Asked {
    request: RequestId,
}

#[derive(Deserialize)]
pub(super) struct Answer {
    request: RequestId,
    /// Whom the page was shown to.
    person: PersonId,
    decision: Decision,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Allow,
    Cancel,
}

pub(super) async fn ask(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    SignedIn(person): SignedIn,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Page, PageError> {
    let Query(asked) = asked.map_err(|_| refusal::expired(&tenant))?;
    let claim = waiting::claim(&tenant, &headers, asked.request)?;
    let pending = waiting::pending(&app, &tenant, claim).await?;
    let mut conn = storage::acquire(&app.pool).await.map_err(failed(&tenant))?;
    let roster = storage::membership::roster(&mut conn, tenant.id, person.id)
        .await
        .map_err(failed(&tenant))?;
    Ok(question(&tenant, &person, &pending, &roster))
}

/// Nothing in the form says what is agreed to: that is in the request that was kept.
pub(super) async fn decide(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    SignedIn(person): SignedIn,
    headers: HeaderMap,
    answer: Result<Form<Answer>, FormRejection>,
) -> Result<Response, PageError> {
    let Form(answer) = answer.map_err(|_| refusal::bad_form(&tenant))?;
    if answer.person != person.id {
        return Err(refusal::other_person(&tenant));
    }
    let claim = waiting::claim(&tenant, &headers, answer.request)?;
    let authority = tenant.authority();
    let back = match answer.decision {
        Decision::Allow => {
            consent::approve(&app.pool, authority, claim, person.id, app.random()).await
        }
        Decision::Cancel => consent::deny(&app.pool, authority, claim).await,
    };
    let back = back.map_err(|refused| waiting::page(&tenant, refused))?;
    // The address holds a code, so nothing may keep it or send it on.
    let headers = [(header::CACHE_CONTROL, "no-store"), (header::REFERRER_POLICY, "no-referrer")];
    Ok((headers, Redirect::to(back.as_str())).into_response())
}

fn question(tenant: &Snapshot, person: &Person, pending: &Pending, roster: &[Workspace]) -> Page {
    let declared = tenant.declaration.server(&pending.server);
    let (may, may_not) = split(tenant, &pending.scopes);
    Page(render(&Consent {
        frame: frame(tenant),
        request: pending.request,
        app: AppName::new(pending.client_name.as_deref()),
        person: person.id,
        email: &person.email,
        may,
        may_not,
        destination: pending.redirect.destination(),
        server: declared.map_or(pending.server.as_str(), |server| &server.title),
        workspaces: usable(roster).into_iter().map(|workspace| workspace.name.as_str()).collect(),
        stays: match declared.map(|server| server.access_token) {
            Some(Lifetime::Expires(time)) => Stays::AtMost(time),
            Some(Lifetime::UntilRevoked) | None => Stays::UntilDisconnected,
        },
    }))
}

/// What the scopes allow, and what they leave out of what the tenant has, in the tenant's words.
fn split<'t>(tenant: &'t Snapshot, scopes: &Scopes) -> (Vec<&'t str>, Vec<&'t str>) {
    let (may, may_not): (Vec<_>, Vec<_>) =
        tenant.declaration.scopes.iter().partition(|titled| scopes.contains(titled.scope));
    let titles =
        |titled: Vec<&'t ScopeTitle>| titled.into_iter().map(|it| it.title.as_str()).collect();
    (titles(may), titles(may_not))
}
