use portico_model::{AccountState, Role, WorkspaceId, WorkspaceState};
use uuid::Uuid;

use super::*;

const ID: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

fn found(number: u128, workspace: WorkspaceState, account: AccountState) -> Found {
    Found {
        workspace: id(number),
        name: "Docs".to_owned(),
        role: Role::Member,
        workspace_state: workspace,
        account_state: account,
        chosen: true,
    }
}

fn live(number: u128) -> Found {
    found(number, WorkspaceState::Live, AccountState::Approved)
}

fn id(number: u128) -> WorkspaceId {
    WorkspaceId::from_uuid(Uuid::from_u128(number))
}

fn verdict(asked: Asked<'_>, found: &[Found]) -> String {
    narrowed(asked, None, found)
}

fn narrowed(asked: Asked<'_>, pinned: Option<u128>, found: &[Found]) -> String {
    match judge(asked, pinned.map(id), found) {
        Ok(found) => found.workspace.as_uuid().as_u128().to_string(),
        Err(denial) => denial.reason().to_string(),
    }
}

// pre:O9, pre:O10, sec:K02, sec:K05, sec:K09
#[test]
fn a_call_works_in_the_one_usable_workspace_that_it_means() {
    let paused = || found(8, WorkspaceState::Paused, AccountState::Approved);
    let archived = || found(8, WorkspaceState::Archived, AccountState::Approved);
    let pending = || found(8, WorkspaceState::Live, AccountState::Pending);
    let suspended = || found(8, WorkspaceState::Paused, AccountState::Suspended);
    let named = Asked::Named("docs");
    for (asked, rows, expected) in [
        (Asked::Sole, vec![live(1)], "1"),
        (Asked::Sole, vec![], "no_workspace"),
        (Asked::Sole, vec![live(1), live(2)], "workspace_missing"),
        (named, vec![live(1)], "1"),
        (named, vec![], "workspace_unknown"),
        (named, vec![live(1), live(2)], "workspace_ambiguous"),
        (named, vec![live(1), paused()], "1"),
        (named, vec![paused(), live(1)], "1"),
        (named, vec![paused()], "workspace_paused"),
        (named, vec![archived()], "workspace_archived"),
        (named, vec![pending()], "account_pending"),
        (named, vec![suspended()], "account_suspended"),
        (named, vec![archived(), pending()], "workspace_archived"),
    ] {
        assert_eq!(verdict(asked, &rows), expected, "{asked:?} {rows:?}");
    }
}

// sec:K01, sec:K02
#[test]
fn what_the_connection_was_not_allowed_is_never_worked_in() {
    let closed = |number| Found { chosen: false, ..live(number) };
    let paused = |number| Found { workspace_state: WorkspaceState::Paused, ..closed(number) };
    let (named, address) = (Asked::Named("docs"), Asked::Pinned("docs"));
    for (asked, pinned, rows, expected) in [
        (named, None, vec![closed(1)], "workspace_not_chosen"),
        (named, None, vec![paused(1)], "workspace_not_chosen"),
        (named, None, vec![live(1), closed(2)], "1"),
        (named, None, vec![], "workspace_unknown"),
        (named, Some(1), vec![live(1)], "1"),
        (named, Some(1), vec![closed(2)], "workspace_not_pinned"),
        (named, Some(1), vec![paused(2)], "workspace_not_pinned"),
        (named, Some(1), vec![], "workspace_unknown"),
        (address, Some(1), vec![live(1)], "1"),
        (address, Some(1), vec![closed(1)], "workspace_not_chosen"),
        (
            address,
            Some(1),
            vec![found(1, WorkspaceState::Paused, AccountState::Approved)],
            "workspace_paused",
        ),
        (address, Some(1), vec![closed(2)], "address_moved"),
        (address, Some(1), vec![paused(2)], "address_moved"),
        (address, Some(1), vec![], "workspace_unknown"),
        // Whatever made such a connection, its address was not what was allowed.
        (address, None, vec![live(1)], "address_moved"),
    ] {
        assert_eq!(narrowed(asked, pinned, &rows), expected, "{asked:?} {pinned:?} {rows:?}");
    }
}

// pre:O9, sec:K01
#[test]
fn a_reference_is_looked_up_as_what_it_can_be() {
    for (asked, expected) in [
        (Asked::Nothing, "Unneeded".to_owned()),
        (Asked::Sole, "Sole".to_owned()),
        (Asked::Named(ID), format!("Id(WorkspaceId({ID}))")),
        (Asked::Named("docs.example"), r#"Alias("docs.example")"#.to_owned()),
        (Asked::Pinned(ID), format!("Id(WorkspaceId({ID}))")),
        (Asked::Pinned("docs.example"), r#"Alias("docs.example")"#.to_owned()),
        (Asked::Pinned("a\0b"), "Unneeded".to_owned()),
        (
            Asked::Named("0190a1b2c3d47e5f8a9b0c1d2e3f4a5b"),
            r#"Alias("0190a1b2c3d47e5f8a9b0c1d2e3f4a5b")"#.to_owned(),
        ),
        (Asked::Named("a\0b"), "Unneeded".to_owned()),
    ] {
        assert_eq!(format!("{:?}", asked.reference()), expected, "{asked:?}");
    }
}

#[test]
fn whatever_text_is_given_may_be_a_name_and_an_address_never_is() {
    for (asked, expected) in [
        (Asked::Nothing, None),
        (Asked::Sole, None),
        (Asked::Named(ID), Some(ID)),
        (Asked::Named("a\0b"), None),
        (Asked::Named("Docs"), Some("Docs")),
        (Asked::Pinned(ID), None),
        (Asked::Pinned("Docs"), None),
    ] {
        assert_eq!(asked.name(), expected, "{asked:?}");
    }
}
