//! `list_workspaces`, which every server has: where the caller can work.

use portico_model::{AccountState, Role, WorkspaceState};
use portico_registry::Answer;
use portico_storage::membership::Workspace;

pub(crate) const NAME: &str = "list_workspaces";
pub(crate) const TITLE: &str = "List workspaces";
pub(crate) const DESCRIPTION: &str = "Lists the workspaces that you can work in here: name, id, \
    aliases and your role. Call it first; the other tools take one of them as `workspace`.";

/// Whether calls can be made in it.
pub(crate) const fn is_usable(workspace: WorkspaceState, account: AccountState) -> bool {
    matches!((workspace, account), (WorkspaceState::Live, AccountState::Approved))
}

pub(crate) fn usable(roster: &[Workspace]) -> Vec<&Workspace> {
    roster
        .iter()
        .filter(|workspace| is_usable(workspace.workspace_state, workspace.account_state))
        .collect()
}

/// What the tool answers.
pub(crate) fn answer(roster: &[Workspace]) -> Answer {
    let usable = usable(roster);
    if usable.is_empty() {
        return Answer::new(
            "You have no workspace that can be used here now. Ask whoever manages your account.",
        );
    }
    let mut text = "Your workspaces:".to_owned();
    for workspace in usable {
        text.push_str("\n- ");
        text.push_str(&line(workspace));
    }
    Answer::new(text)
}

fn line(workspace: &Workspace) -> String {
    let Workspace { id, name, aliases, account_name, role, .. } = workspace;
    let aliases = match &aliases[..] {
        [] => String::new(),
        aliases => format!(", also called {}", aliases.join(", ")),
    };
    let may = match role {
        Role::Viewer => "you may read",
        Role::Member => "you may read and write",
        Role::Admin => "you may read, write and delete",
    };
    format!("{name} [{id}]{aliases}; account {account_name}; {may} ({role})")
}

#[cfg(test)]
mod tests {
    use portico_model::WorkspaceId;
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

        insta::assert_snapshot!(answer(&roster).text(), @r#"
        Your workspaces:
        - Docs [00000000-0000-0000-0000-000000000000], also called docs, docs.example; account North; you may read (viewer)
        "#);
        insta::assert_snapshot!(answer(&[paused]).text(), @r#"You have no workspace that can be used here now. Ask whoever manages your account."#);
    }
}
