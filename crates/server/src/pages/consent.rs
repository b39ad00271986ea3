//! The question whether an app may work as the person, and the answer to it.

mod answer;
mod question;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use portico_model::{Destination, RequestId};
use portico_oauth::consent::{self, Agreement, Claim, Pending};
use portico_pages::{AppName, Declined, Slip, render};
use portico_storage::membership::Workspace;
use portico_storage::person::Person;
use portico_storage::{self as storage};
use serde::Deserialize;
use url::Url;

use self::answer::{Answer, Choice, Decision};
use super::signed_in::SignedIn;
use super::{Page, failed, frame, refusal, waiting};
use crate::app::App;
use crate::error::PageError;
use crate::media;
use crate::tenant::{Snapshot, Tenant};

#[derive(Deserialize)]
pub(super) struct Asked {
    request: RequestId,
}

/// An app asks, and a person is there to answer.
#[derive(Clone, Copy)]
struct Scene<'s> {
    tenant: &'s Snapshot,
    person: &'s Person,
    pending: &'s Pending,
    /// The person's workspaces.
    roster: &'s [Workspace],
}

pub(super) async fn ask(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    SignedIn(person): SignedIn,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, PageError> {
    let Query(asked) = asked.map_err(|_| refusal::expired(&tenant))?;
    let claim = waiting::claim(&tenant, &headers, asked.request)?;
    let pending = waiting::pending(&app, &tenant, claim).await?;
    let roster = roster(&app, &tenant, &person).await?;
    let scene = Scene { tenant: &tenant, person: &person, pending: &pending, roster: &roster };
    Ok(question::ask(scene, &Choice::default(), None))
}

/// Nothing in the form says what is asked for: that is in the request that was kept. The form says
/// how much of it is given.
pub(super) async fn decide(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    SignedIn(person): SignedIn,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, PageError> {
    let answer = media::is(&headers, media::FORM).then(|| Answer::parse(&body)).flatten();
    let answer = answer.ok_or_else(|| refusal::bad_form(&tenant))?;
    if answer.person != person.id {
        return Err(refusal::other_person(&tenant));
    }
    let claim = waiting::claim(&tenant, &headers, answer.request)?;
    let pending = waiting::pending(&app, &tenant, claim).await?;
    match answer.decision {
        Decision::Cancel => cancel(&app, &tenant, claim, &pending).await,
        Decision::Allow => {
            let roster = roster(&app, &tenant, &person).await?;
            let scene =
                Scene { tenant: &tenant, person: &person, pending: &pending, roster: &roster };
            allow(&app, scene, claim, &answer).await
        }
    }
}

async fn roster(
    app: &App,
    tenant: &Snapshot,
    person: &Person,
) -> Result<Vec<Workspace>, PageError> {
    let mut conn = storage::acquire(&app.pool).await.map_err(failed(tenant))?;
    storage::membership::roster(&mut conn, tenant.id, person.id).await.map_err(failed(tenant))
}

async fn allow(
    app: &App,
    scene: Scene<'_>,
    claim: Claim,
    answer: &Answer,
) -> Result<Response, PageError> {
    let Scene { tenant, person, pending, roster } = scene;
    if pending.pinned.as_deref().is_some_and(|text| consent::named(text, roster).is_none()) {
        return Ok(question::outsider(scene));
    }
    let choice = answer.choice(pending).ok_or_else(|| refusal::bad_form(tenant))?;
    let workspaces = match &choice.workspaces {
        Some(ticked) => match slip(scene, ticked) {
            Some(slip) => return Ok(question::ask(scene, &choice, Some(slip))),
            None => Some(ticked.as_slice()),
        },
        None => None,
    };
    let agreed = Agreement { person: person.id, only_reads: choice.only_reads, workspaces };
    let back = consent::approve(&app.pool, tenant.authority(), claim, agreed, app.random()).await;
    Ok(send_back(&back.map_err(|refused| waiting::page(tenant, refused))?))
}

fn slip(scene: Scene<'_>, ticked: &[portico_model::WorkspaceId]) -> Option<Slip> {
    if ticked.is_empty() {
        return Some(Slip::NoneTicked);
    }
    let usable = portico_bridge::usable(scene.roster);
    let is_theirs = |id| usable.iter().any(|workspace| workspace.id == id);
    (!ticked.iter().all(|id| is_theirs(*id))).then_some(Slip::Unusable)
}

/// The client is told; by way of the browser only where it is known who is there.
async fn cancel(
    app: &App,
    tenant: &Snapshot,
    claim: Claim,
    pending: &Pending,
) -> Result<Response, PageError> {
    let back = consent::deny(&app.pool, tenant.authority(), claim).await;
    let back = back.map_err(|refused| waiting::page(tenant, refused))?;
    match pending.redirect.destination() {
        Destination::Site { host } if !pending.redirect.is_recognised() => {
            let page = Page(render(&Declined {
                frame: frame(tenant),
                app: AppName::new(pending.client_name.as_deref()),
                host,
                back: back.as_str(),
            }));
            Ok((StatusCode::OK, page).into_response())
        }
        Destination::Site { .. } | Destination::Computer { .. } | Destination::Scheme { .. } => {
            Ok(send_back(&back))
        }
    }
}

/// The address holds a code, so nothing may keep it or send it on.
fn send_back(to: &Url) -> Response {
    let headers = [(header::CACHE_CONTROL, "no-store"), (header::REFERRER_POLICY, "no-referrer")];
    (headers, Redirect::to(to.as_str())).into_response()
}
