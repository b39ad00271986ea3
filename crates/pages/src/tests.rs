//! The pages as they are served.

use std::time::Duration;

use insta::assert_snapshot;
use portico_model::{ConnectionId, Destination, EndReason, PersonId, RequestId, WorkspaceId};
use time::macros::datetime;

use super::*;

const ACME: Frame<'static> = Frame {
    brand: "Acme",
    base: "/v/acme",
    accent: Accent::DEFAULT,
    support_url: Some("https://acme.example/help"),
};
const HOSTILE: &str = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>{{ 7*7 }}&amp;";

/// The page without the tag of the stylesheet, which changes with every edit of it.
fn shown(page: &impl askama::Template) -> String {
    let tag = format!("?v={:08x}", stylesheet::tag(Accent::DEFAULT));
    render(page).replace(&tag, "?v=[tag]")
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(last: u8) -> T {
    format!("01900000-0000-7000-8000-0000000000{last:02x}").parse().unwrap()
}

const CLAUDE: Destination<'static> = Destination::Site { host: "claude.ai" };

fn consent<'a>(name: Option<&str>, destination: Destination<'a>) -> Consent<'a> {
    Consent {
        frame: ACME,
        request: id::<RequestId>(1),
        app: AppName::new(name),
        person: id::<PersonId>(2),
        email: "ada@acme.example",
        destination,
        is_recognised: false,
        redirect_uri: "https://claude.ai/api/mcp/auth_callback",
        server: "Acme boards",
        access: Access::Choice {
            level: "Read and change",
            all: vec!["See your boards", "Create and change cards"],
            read: "See your boards",
            only_reads: false,
        },
        may_not: vec!["Delete boards and cards"],
        reach: Reach::Choice { accounts: accounts(), is_every: true, mistake: None },
        stays: Stays::UntilDisconnected,
    }
}

fn accounts() -> Vec<Account<'static>> {
    let workspace = |last, name, alias, is_ticked| Workspace {
        id: id::<WorkspaceId>(last),
        name,
        alias,
        is_ticked,
    };
    vec![
        Account { name: "Globex", workspaces: vec![workspace(7, "Research", None, false)] },
        Account {
            name: "Northwind",
            workspaces: vec![
                workspace(8, "Support", Some("help.northwind.example"), true),
                workspace(9, "Website", Some("northwind.example"), false),
            ],
        },
    ]
}

#[test]
fn sign_in_keeps_the_request_and_says_what_is_wrong_twice() {
    let page = SignIn {
        frame: ACME,
        request: Some((id(1), AppName::new(Some("Claude Code")))),
        email: "ada@acme.example",
        mistake: Some(Mistake::WrongEmailOrPassword),
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn sign_in_without_a_request_starts_at_the_address() {
    let page = SignIn { frame: Frame::NOBODY, request: None, email: "", mistake: None };
    assert_snapshot!(shown(&page));
}

// sec:B15, cli:97
#[test]
fn consent_identifies_an_app_by_where_it_sends_the_person() {
    let page = Consent { is_recognised: true, ..consent(Some("Claude"), CLAUDE) };
    assert_snapshot!(shown(&page));
}

// sec:B15
#[test]
fn consent_shows_all_that_is_known_of_an_app_that_is_not_verified() {
    let redirect_uri = format!("https://xn--laude-7ve.example/{}", "x".repeat(300));
    let page = Consent {
        redirect_uri: &redirect_uri,
        ..consent(Some("\u{421}laude"), Destination::Site { host: "xn--laude-7ve.example" })
    };
    assert_snapshot!(shown(&page));
}

// sec:C16
#[test]
fn consent_warns_of_apps_that_nobody_can_check() {
    let page = Consent {
        access: Access::Fixed { may: vec!["See your boards"], is_read_only: true },
        may_not: vec![],
        reach: Reach::Pinned { workspace: "Website", account: "Northwind", is_usable: false },
        stays: Stays::AtMost {
            longest: Duration::from_hours(180 * 24),
            unused: Duration::from_hours(30 * 24),
        },
        ..consent(None, Destination::Computer { host: "127.0.0.1:51004" })
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn consent_names_the_scheme_of_an_app_that_has_no_host() {
    let page = Consent {
        reach: Reach::Nothing,
        ..consent(Some("Cursor"), Destination::Scheme { scheme: "cursor" })
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn consent_is_asked_again_with_what_was_chosen_and_what_is_missing() {
    let mistake = Some(Slip::NoneTicked);
    let page = Consent {
        access: Access::Choice {
            level: "Read and change",
            all: vec!["See your boards", "Create and change cards"],
            read: "See your boards",
            only_reads: true,
        },
        reach: Reach::Choice { accounts: accounts(), is_every: false, mistake },
        ..consent(Some("Claude"), CLAUDE)
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn whoever_is_outside_of_a_workspace_can_switch_the_account() {
    let page = Outsider {
        frame: ACME,
        request: id(1),
        app: AppName::new(Some("Claude")),
        person: id(2),
        email: "ada@acme.example",
    };
    assert_snapshot!(shown(&page));
}

// sec:D21
#[test]
fn a_no_to_an_app_that_nothing_is_known_of_ends_here() {
    let page = Declined {
        frame: ACME,
        app: AppName::new(Some("Claude")),
        host: "evil.test",
        back: "https://evil.test/cb?error=access_denied&iss=x",
    };
    assert_snapshot!(shown(&page));
}

// sec:E13
#[test]
fn nothing_an_app_says_becomes_markup() {
    let quiet = render(&consent(Some("Claude"), CLAUDE));
    let hostile = Consent {
        redirect_uri: HOSTILE,
        ..consent(Some(HOSTILE), Destination::Site { host: HOSTILE })
    };
    let hostile = render(&hostile);
    let tags = |html: &str| html.matches('<').count();
    assert_eq!(tags(&hostile), tags(&quiet));
    assert_eq!(hostile.matches("{{").count(), 6, "shown, not evaluated");
    let title = hostile.lines().find(|line| line.starts_with("<title>")).unwrap();
    assert_snapshot!(title);
}

fn connections() -> Connections<'static> {
    Connections {
        frame: ACME,
        email: "ada@acme.example",
        disconnected: None,
        apps: vec![],
        ended: vec![],
        servers: vec![Server {
            title: "Acme boards",
            url: "https://mcp.acme.example/v/acme/mcp/boards".to_owned(),
        }],
    }
}

fn connection(last: u8, last_used_at: Option<When>) -> Connection<'static> {
    Connection {
        id: id::<ConnectionId>(last),
        server: "Acme boards",
        address: "https://mcp.acme.example/v/acme/mcp/boards",
        may: vec!["See your boards", "Create and change cards"],
        only_reads: false,
        works_in: WorksIn::Every,
        connected_at: When::new(datetime!(2026-11-30 14:05 UTC)),
        last_used_at,
        ends: Ends { unless_used_before: None, at_the_latest: None },
    }
}

// sec:G05
#[test]
fn connections_are_shown_by_app_and_end_without_a_script() {
    let page = Connections {
        disconnected: Some(AppName::new(Some("Cursor"))),
        apps: vec![
            App {
                name: AppName::new(Some("Claude Code")),
                identity: "On your computer".to_owned(),
                connections: vec![
                    connection(1, Some(When::new(datetime!(2026-12-01 9:30 UTC)))),
                    connection(2, None),
                ],
            },
            App {
                name: AppName::new(Some("Claude")),
                identity: "claude.ai".to_owned(),
                connections: vec![Connection {
                    address: "https://mcp.acme.example/v/acme/mcp/boards/readonly",
                    may: vec!["See your boards"],
                    only_reads: true,
                    works_in: WorksIn::These { names: vec!["Website"], left: 0 },
                    ends: Ends {
                        unless_used_before: Some(When::new(datetime!(2026-12-30 14:05 UTC))),
                        at_the_latest: Some(When::new(datetime!(2027-05-29 14:05 UTC))),
                    },
                    ..connection(3, None)
                }],
            },
        ],
        ended: vec![
            Ended {
                app: AppName::new(Some("Cursor")),
                identity: "cursor".to_owned(),
                ended_at: When::new(datetime!(2026-12-02 10:00 UTC)),
                reason: EndReason::Person,
            },
            Ended {
                app: AppName::new(Some("Claude Code")),
                identity: "On your computer".to_owned(),
                ended_at: When::new(datetime!(2026-12-01 10:00 UTC)),
                reason: EndReason::Client,
            },
            Ended {
                app: AppName::new(Some("Codex")),
                identity: "On your computer".to_owned(),
                ended_at: When::new(datetime!(2026-12-01 9:00 UTC)),
                reason: EndReason::RefreshReplayed,
            },
        ],
        ..connections()
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn someone_without_connections_is_told_how_to_make_one() {
    assert_snapshot!(shown(&connections()));
}

#[test]
fn a_browser_at_an_address_for_apps_is_told_what_it_is() {
    let page = Address { frame: ACME, servers: connections().servers };
    assert_snapshot!(shown(&page));
}

#[test]
fn a_problem_says_what_happened_and_what_to_do() {
    let page = Problem {
        frame: ACME,
        title: "This request has expired",
        happened: "A request to connect an app waits for ten minutes.",
        next: "Go back to the app and connect again.",
        reference: Some("7KX2-9QF"),
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn every_page_fits_its_own_security_headers() {
    let pages = [
        render(&consent(Some("Claude"), CLAUDE)),
        render(&connections()),
        render(&SignIn { frame: ACME, request: None, email: "", mistake: None }),
    ];
    for page in pages {
        for refused in ["<script", "<style", " style=", " onclick=", "src=", "http-equiv"] {
            assert_eq!(page.matches(refused).count(), 0, "{refused} in {page}");
        }
    }
    assert_eq!(header::CONTENT_SECURITY_POLICY.matches("form-action").count(), 0);
}
