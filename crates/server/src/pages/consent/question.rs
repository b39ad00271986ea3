//! The question as it is put to a person: what was asked for, and what they chose so far.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use portico_bridge::usable;
use portico_declaration::ScopeTitle;
use portico_model::{Scope, Scopes};
use portico_oauth::consent;
use portico_pages::{
    Access, Account, AppName, Consent, Outsider, Reach, Slip, Stays, Workspace, render,
};
use portico_storage::membership;
use portico_tokens::IDLE;

use super::answer::Choice;
use super::{Page, Scene, frame};

/// The question. With a slip, what was chosen could not be used, and the page says so.
pub(super) fn ask(scene: Scene<'_>, choice: &Choice, slip: Option<Slip>) -> Response {
    let Scene { tenant, person, pending, .. } = scene;
    let Some(reach) = reach(scene, choice, slip) else {
        return outsider(scene);
    };
    let declared = tenant.declaration.server(&pending.server);
    let (may, may_not) = split(&tenant.declaration.scopes, &pending.scopes);
    let page = Page(render(&Consent {
        frame: frame(tenant),
        request: pending.request,
        app: AppName::new(pending.client_name.as_deref()),
        person: person.id,
        email: &person.email,
        destination: pending.redirect.destination(),
        is_recognised: pending.redirect.is_recognised(),
        redirect_uri: pending.redirect.as_str(),
        server: declared.map_or(pending.server.as_str(), |server| &server.title),
        access: access(scene, choice, may),
        may_not: may_not.into_iter().map(|it| it.title.as_str()).collect(),
        reach,
        stays: match pending.ttl {
            Some(longest) => Stays::AtMost { longest, unused: IDLE },
            None => Stays::UntilDisconnected,
        },
    }));
    let status = if slip.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    (status, page).into_response()
}

/// The address is for a workspace, and it is none of the person's.
pub(super) fn outsider(scene: Scene<'_>) -> Response {
    let Scene { tenant, person, pending, .. } = scene;
    let page = Page(render(&Outsider {
        frame: frame(tenant),
        request: pending.request,
        app: AppName::new(pending.client_name.as_deref()),
        person: person.id,
        email: &person.email,
    }));
    (StatusCode::FORBIDDEN, page).into_response()
}

/// What the scopes allow, and what they leave out of what the tenant has.
fn split<'t>(
    titles: &'t [ScopeTitle],
    scopes: &Scopes,
) -> (Vec<&'t ScopeTitle>, Vec<&'t ScopeTitle>) {
    titles.iter().partition(|titled| scopes.contains(titled.scope))
}

fn access<'s>(scene: Scene<'s>, choice: &Choice, may: Vec<&'s ScopeTitle>) -> Access<'s> {
    let pending = scene.pending;
    let read = may.iter().find(|titled| titled.scope == Scope::Read).map(|it| it.title.as_str());
    let all = may.into_iter().map(|titled| titled.title.as_str()).collect();
    match read {
        Some(read) if pending.has_levels() => Access::Choice {
            level: level(&pending.scopes),
            all,
            read,
            only_reads: choice.only_reads,
        },
        Some(_) | None => Access::Fixed { may: all, is_read_only: pending.is_read_only },
    }
}

fn level(scopes: &Scopes) -> &'static str {
    match (scopes.contains(Scope::Write), scopes.contains(Scope::Delete)) {
        (true, true) => "Read, change and delete",
        (true, false) => "Read and change",
        (false, true) => "Read and delete",
        (false, false) => "Read",
    }
}

/// `None`: the address is for a workspace that is none of the person's.
fn reach<'s>(scene: Scene<'s>, choice: &Choice, mistake: Option<Slip>) -> Option<Reach<'s>> {
    let usable = usable(scene.roster);
    if let Some(text) = &scene.pending.pinned {
        let found = consent::named(text, scene.roster)?;
        return Some(Reach::Pinned {
            workspace: &found.name,
            account: &found.account_name,
            is_usable: usable.iter().any(|it| it.id == found.id),
        });
    }
    if usable.is_empty() {
        return Some(Reach::Nothing);
    }
    let is_every = choice.workspaces.is_none();
    let mut accounts: BTreeMap<(String, &str), Vec<Workspace<'s>>> = BTreeMap::new();
    for found in usable {
        let account = found.account_name.as_str();
        accounts.entry((account.to_lowercase(), account)).or_default().push(offered(found, choice));
    }
    let accounts =
        accounts.into_iter().map(|((_, name), workspaces)| Account { name, workspaces }).collect();
    Some(Reach::Choice { accounts, is_every, mistake })
}

fn offered<'s>(found: &'s membership::Workspace, choice: &Choice) -> Workspace<'s> {
    Workspace {
        id: found.id,
        name: &found.name,
        alias: found.aliases.first().map(String::as_str),
        is_ticked: choice.workspaces.as_ref().is_some_and(|ticked| ticked.contains(&found.id)),
    }
}
