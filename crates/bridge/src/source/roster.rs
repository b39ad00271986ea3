//! `list_workspaces`, which every server has: where the caller can work.

use portico_model::{Hints, Role, Scope, Scopes};
use portico_registry::Answer;
use portico_storage as storage;
use portico_storage::membership::Workspace;
use serde_json::{Map, json};

use super::Source;
use crate::call::Attempt;
use crate::obstacle::usable;
use crate::tool::{Description, Tool};
use crate::{OfferError, Reply, text};

pub(super) const NAME: &str = "list_workspaces";

pub(super) fn compile() -> Result<Tool, OfferError> {
    let schema = [
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), json!({})),
        ("additionalProperties".to_owned(), json!(false)),
    ];
    let description = Description {
        name: NAME,
        title: "List workspaces",
        text: "Lists the workspaces that you can work in here: name, id, aliases and your role. \
            The other tools take one of them as `workspace`.",
        scope: Scope::Read,
        hints: Hints { read_only: Some(true), open_world: Some(false), ..Hints::default() },
        schema: Map::from_iter(schema),
    };
    Tool::compile(description, Source::Roster)
}

pub(super) async fn run(attempt: &Attempt<'_>) -> storage::Result<Reply> {
    let roster = attempt.roster().await?;
    Ok(Reply::answered(answer(&roster, &attempt.admission.scopes).into_text()))
}

fn answer(roster: &[Workspace], scopes: &Scopes) -> Answer {
    let usable = usable(roster);
    if usable.is_empty() {
        return Answer::new(
            "You have no workspace that can be used here now. Ask whoever manages your account.",
        );
    }
    let mut text = "Your workspaces:".to_owned();
    for workspace in usable {
        text.push_str("\n- ");
        text.push_str(&line(workspace, scopes));
    }
    Answer::new(text)
}

fn line(workspace: &Workspace, scopes: &Scopes) -> String {
    let Workspace { id, name, aliases, account_name, role, .. } = workspace;
    let aliases = match &aliases[..] {
        [] => String::new(),
        aliases => format!(", also called {}", text::line(&aliases.join(", "))),
    };
    let may = may(*role, scopes);
    let (name, account) = (text::line(name), text::line(account_name));
    format!("{name} [{id}]{aliases}; account {account}; you may {may} ({role})")
}

/// What the role and the connection both allow.
fn may(role: Role, scopes: &Scopes) -> String {
    let words: Vec<&str> =
        scopes.iter().filter(|scope| role.allows(*scope)).map(Scope::as_str).collect();
    match &words[..] {
        [] => "do nothing".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use portico_model::{AccountState, WorkspaceId, WorkspaceState};
    use uuid::Uuid;

    use super::*;

    // pre:O11, sec:K05
    #[test]
    fn only_what_can_be_used_is_listed() {
        let docs = Workspace {
            id: WorkspaceId::from_uuid(Uuid::nil()),
            name: "Docs".to_owned(),
            aliases: vec!["docs".to_owned(), "docs.example".to_owned()],
            account_name: "North".to_owned(),
            role: Role::Viewer,
            workspace_state: WorkspaceState::Live,
            account_state: AccountState::Approved,
        };
        let paused = Workspace { workspace_state: WorkspaceState::Paused, ..docs.clone() };
        let pending = Workspace { account_state: AccountState::Pending, ..docs.clone() };
        let roster = [docs, paused.clone(), pending];

        insta::assert_snapshot!(answer(&roster, &Scopes::parse("read write")).text(), @r#"
        Your workspaces:
        - Docs [00000000-0000-0000-0000-000000000000], also called docs, docs.example; account North; you may read (viewer)
        "#);
        insta::assert_snapshot!(answer(&[paused], &Scopes::default()).text(), @r#"You have no workspace that can be used here now. Ask whoever manages your account."#);
    }

    #[test]
    fn what_one_may_do_is_what_role_and_connection_both_allow() {
        for (role, scopes, said) in [
            (Role::Admin, "read write delete", "read, write and delete"),
            (Role::Admin, "read write", "read and write"),
            (Role::Member, "read write delete", "read and write"),
            (Role::Viewer, "read write", "read"),
            (Role::Viewer, "write", "do nothing"),
        ] {
            assert_eq!(may(role, &Scopes::parse(scopes)), said, "{role} {scopes}");
        }
    }
}
