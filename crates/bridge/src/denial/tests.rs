use portico_model::{AccountState, Role, WorkspaceId, WorkspaceState};
use uuid::Uuid;

use super::*;

fn workspace(number: u128, name: &str, alias: Option<&str>) -> Workspace {
    Workspace {
        id: WorkspaceId::from_uuid(Uuid::from_u128(number)),
        name: name.to_owned(),
        aliases: alias.map(str::to_owned).into_iter().collect(),
        account_name: "North".to_owned(),
        role: Role::Member,
        workspace_state: WorkspaceState::Live,
        account_state: AccountState::Approved,
    }
}

fn paused(number: u128, name: &str) -> Workspace {
    Workspace { workspace_state: WorkspaceState::Paused, ..workspace(number, name, None) }
}

fn roster() -> Vec<Workspace> {
    vec![
        workspace(1, "Docs", None),
        Workspace { account_name: "South".to_owned(), ..workspace(2, "docs", None) },
        workspace(3, "Shop", Some("shop.example")),
        paused(4, "Old"),
    ]
}

// pre:O9, mcp:T2, cli:76, sec:K02
#[test]
fn a_refusal_names_the_callers_own_choices() {
    let roster = roster();

    insta::assert_snapshot!(Denial::Missing.words(&roster), @r#"Say which workspace you mean. Call again with `workspace` set to one of: 00000000-0000-0000-0000-000000000001 ("Docs"), 00000000-0000-0000-0000-000000000002 ("docs"), "Shop" (shop.example)."#);
    insta::assert_snapshot!(Denial::Unknown.words(&roster), @r#"You have no such workspace. Call again with `workspace` set to one of: 00000000-0000-0000-0000-000000000001 ("Docs"), 00000000-0000-0000-0000-000000000002 ("docs"), "Shop" (shop.example)."#);
    insta::assert_snapshot!(Denial::Ambiguous { name: "Docs".to_owned() }.words(&roster), @r#"More than one of your workspaces has that name. Call again with `workspace` set to one of these ids: 00000000-0000-0000-0000-000000000001 (account North), 00000000-0000-0000-0000-000000000002 (account South)."#);
}

// sec:K01
#[test]
fn what_a_connection_may_not_use_is_told_with_what_it_may() {
    let roster = [workspace(3, "Shop", Some("shop.example"))];
    let closed = Denial::NotChosen { name: "Docs".to_owned() };

    insta::assert_snapshot!(closed.words(&roster), @r#"This connection may not use the workspace "Docs"; the person can allow it by connecting again. Call again with `workspace` set to one of: "Shop" (shop.example)."#);
    insta::assert_snapshot!(closed.words(&[]), @r#"This connection may not use the workspace "Docs"; the person can allow it by connecting again. None of yours can be used here now. Ask whoever manages the account to add you to one."#);
    insta::assert_snapshot!(Denial::OtherThanPinned.words(&roster), @r#"This address is for the workspace "Shop" only. Leave `workspace` out."#);
    insta::assert_snapshot!(Denial::OtherThanPinned.words(&[paused(4, "Old")]), @r#"This address is for one workspace only, which cannot be used here now. Ask whoever manages them. "Old": it is paused."#);
    insta::assert_snapshot!(Denial::Moved.words(&roster), @r#"This address means another workspace now than the one that the person allowed. Ask them to connect again."#);
}

// pre:O10, sec:K05
#[test]
fn a_workspace_that_cannot_be_used_says_why() {
    for (obstacle, reason) in [
        (Obstacle::Paused, "it is paused"),
        (Obstacle::Archived, "it is archived"),
        (Obstacle::AccountPending, "its account waits for approval"),
        (Obstacle::AccountSuspended, "its account is suspended"),
    ] {
        let denial = Denial::Unusable { name: "Docs".to_owned(), obstacle };
        assert_eq!(
            denial.words(&[]),
            format!(
                "The workspace \"Docs\" cannot be used now: {reason}. Ask whoever manages it, or \
                 use another; list_workspaces lists yours."
            )
        );
    }
}

#[test]
fn a_person_without_a_usable_workspace_is_told_what_stands_in_the_way() {
    insta::assert_snapshot!(Denial::NoneUsable.words(&[]), @r#"You have no workspace that can be used here now. Ask whoever manages the account to add you to one."#);
    insta::assert_snapshot!(Denial::NoneUsable.words(&[paused(1, "Docs")]), @r#"You have no workspace that can be used here now. Ask whoever manages them. "Docs": it is paused."#);
    insta::assert_snapshot!(Denial::Unknown.words(&[paused(1, "Docs")]), @r#"You have no such workspace. None of yours can be used here now. Ask whoever manages them. "Docs": it is paused."#);
}

// cli:88
#[test]
fn a_long_roster_is_cut() {
    let roster: Vec<Workspace> =
        (0..3_000).map(|number| workspace(number, &format!("W{number}"), None)).collect();

    insta::assert_snapshot!(Denial::Missing.words(&roster), @r#"Say which workspace you mean. Call again with `workspace` set to one of: "W0", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W11", "W12", "W13", "W14", "W15", "W16", "W17", "W18", "W19", and 2980 more (list_workspaces)."#);
}
