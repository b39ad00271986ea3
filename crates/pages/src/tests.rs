//! The pages as they are served.

use std::time::Duration;

use insta::assert_snapshot;
use portico_model::{ConnectionId, Destination, EndReason, PersonId, RequestId};
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

fn consent<'a>(name: Option<&str>, destination: Destination<'a>) -> Consent<'a> {
    Consent {
        frame: ACME,
        request: id::<RequestId>(1),
        app: AppName::new(name),
        person: id::<PersonId>(2),
        email: "ada@acme.example",
        may: vec!["See your boards", "Create and change cards"],
        may_not: vec!["Delete boards and cards"],
        destination,
        server: "Acme boards",
        workspaces: vec!["Northwind", "Contoso"],
        stays: Stays::UntilDisconnected,
    }
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

// sec:B15
#[test]
fn consent_identifies_an_app_by_where_it_sends_the_person() {
    assert_snapshot!(shown(&consent(Some("Claude"), Destination::Site { host: "claude.ai" })));
}

#[test]
fn consent_warns_of_apps_that_nobody_can_check() {
    let page = Consent {
        may_not: vec![],
        workspaces: vec!["A", "B", "C", "D", "E", "F", "G"],
        stays: Stays::AtMost(Duration::from_hours(8)),
        ..consent(None, Destination::Computer { host: "127.0.0.1:51004" })
    };
    assert_snapshot!(shown(&page));
}

#[test]
fn consent_names_the_scheme_of_an_app_that_has_no_host() {
    let page = Consent {
        workspaces: vec![],
        ..consent(Some("Cursor"), Destination::Scheme { scheme: "cursor" })
    };
    assert_snapshot!(shown(&page));
}

// sec:E13
#[test]
fn nothing_an_app_says_becomes_markup() {
    let quiet = render(&consent(Some("Claude"), Destination::Site { host: "claude.ai" }));
    let hostile = render(&consent(Some(HOSTILE), Destination::Site { host: HOSTILE }));
    let tags = |html: &str| html.matches('<').count();
    assert_eq!(tags(&hostile), tags(&quiet));
    assert_eq!(hostile.matches("{{").count(), 4, "shown, not evaluated");
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
        may: vec!["See your boards", "Create and change cards"],
        connected_at: When::new(datetime!(2026-11-30 14:05 UTC)),
        last_used_at,
    }
}

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
                connections: vec![connection(3, None)],
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
        render(&consent(Some("Claude"), Destination::Site { host: "claude.ai" })),
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
