//! Who may call what, where: settled at each call, by how things are at that moment.

use portico_model::{AccountState, Role, WorkspaceState};
use portico_storage as storage;
use portico_testkit::{Client, Connection, Database, Gateway, Person, Tenant};
use serde_json::{Value, json};

mod board;
mod record;

struct World {
    db: Database,
    acme: Tenant,
    ada: Person,
    claude: Connection,
}

impl World {
    /// Ada is a member of docs and of shop.
    async fn new() -> Self {
        Self::on(Database::new().await).await
    }

    /// Where it is that time.
    async fn at_time(at: &str) -> Self {
        let db = Database::new().await;
        db.set_clock(at).await;
        Self::on(db).await
    }

    async fn on(db: Database) -> Self {
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").member_of("shop").await;
        let claude = ada.connect(Client::claude()).await;
        Self { db, acme, ada, claude }
    }

    async fn boards_of(&self, workspace: &str) -> String {
        boards_of(&self.claude, workspace).await
    }
}

async fn boards_of(connection: &Connection, workspace: impl Into<Value>) -> String {
    connection.call("list_boards", json!({"workspace": workspace.into()})).await.to_string()
}

/// The text with every id in it replaced.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && word.matches('-').count() == 4;
    let mut shown = text.to_owned();
    for word in text.split(|it: char| !it.is_ascii_hexdigit() && it != '-') {
        if is_id(word) {
            shown = shown.replace(word, "<id>");
        }
    }
    shown
}

const NO_BOARDS: &str = "The workspace \"docs\" has no boards yet. create_board makes one.";

// pre:O9, pre:O10, sec:K03
#[tokio::test]
async fn a_removed_members_next_call_is_refused() {
    let world = World::new().await;
    assert_eq!(world.boards_of("docs").await, NO_BOARDS);

    world.ada.leave("docs").await;

    insta::assert_snapshot!(world.boards_of("docs").await, @r#"refused: You have no such workspace. Call again with `workspace` set to one of: "shop" (shop.example)."#);
    world.ada.join("docs", Role::Member).await;
    assert_eq!(world.boards_of("docs").await, NO_BOARDS);
}

// pre:O10, sec:K05
#[tokio::test]
async fn a_workspace_that_is_not_live_or_not_paid_for_is_refused_at_once() {
    let world = World::new().await;
    let refused = |why: &str| {
        format!(
            "refused: The workspace \"docs\" cannot be used now: {why}. Ask whoever manages it, or \
             use another; list_workspaces lists yours."
        )
    };
    for (state, why) in [
        (AccountState::Pending, "its account waits for approval"),
        (AccountState::Suspended, "its account is suspended"),
    ] {
        world.acme.set_account("docs", state).await;
        assert_eq!(world.boards_of("docs").await, refused(why));
    }
    world.acme.set_account("docs", AccountState::Approved).await;
    for (state, why) in
        [(WorkspaceState::Paused, "it is paused"), (WorkspaceState::Archived, "it is archived")]
    {
        world.acme.set_workspace("docs", state).await;
        assert_eq!(world.boards_of("docs").await, refused(why));
    }
    let listed = world.claude.call("list_workspaces", json!({})).await.to_string();
    insta::assert_snapshot!(without_ids(&listed), @r#"
    Your workspaces:
    - shop [<id>], also called shop.example; account shop; you may read and write (member)
    "#);

    world.acme.set_workspace("docs", WorkspaceState::Live).await;
    assert_eq!(world.boards_of("docs").await, NO_BOARDS);
}

// pre:O9, sec:K01
#[tokio::test]
async fn a_workspace_may_be_named_in_every_way_that_is_the_callers() {
    let world = World::new().await;
    let id = world.acme.workspace("docs").await.to_string();
    for name in ["docs", "DOCS", " docs ", "docs.example", "Docs.Example", &id, &id.to_uppercase()]
    {
        assert_eq!(world.boards_of(name).await, NO_BOARDS, "{name}");
    }
}

// sec:K01, sec:K02, mcp:R8
#[tokio::test]
async fn what_is_not_there_and_what_is_someone_elses_are_refused_in_the_same_words() {
    let db = Database::new().await;
    let gateway = Gateway::shared(&db).await;
    let acme = Tenant::named(gateway.clone(), "acme").await;
    let globex = Tenant::named(gateway, "globex").await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let colleagues = acme.workspace("lab").await.to_string();
    let theirs = globex.workspace("factory").await.to_string();

    let absent = boards_of(&claude, "nowhere").await;
    insta::assert_snapshot!(absent, @r#"refused: You have no such workspace. Call again with `workspace` set to one of: "docs" (docs.example)."#);
    for name in [
        "lab",
        "lab.example",
        &colleagues,
        &colleagues.to_uppercase(),
        &format!("{colleagues} "),
        "factory",
        "factory.example",
        &theirs,
        "7f1d0a36-3c1c-4a53-9d2c-6f0f2f0a9a11",
        "1",
        "../docs",
        "docs\u{0301}",
        "%",
        "'; drop table boards; --",
    ] {
        assert_eq!(boards_of(&claude, name).await, absent, "{name}");
    }
}

// sec:K02
#[tokio::test]
async fn a_name_that_is_someone_elses_id_or_alias_is_still_only_a_name() {
    let world = World::new().await;
    let lab = world.acme.workspace("lab").await.to_string();
    let account = world.acme.account("docs").await;
    let mut conn = storage::acquire(world.acme.gateway.pool()).await.unwrap();
    for name in [&*lab, "lab.example"] {
        let id = storage::workspace::insert(&mut conn, world.acme.id, account, name).await.unwrap();
        let member = Role::Member;
        storage::membership::upsert(&mut conn, world.acme.id, world.ada.id, id, member)
            .await
            .unwrap();
    }
    drop(conn);

    let own = "The workspace \"lab.example\" has no boards yet. create_board makes one.";
    assert_eq!(world.boards_of("lab.example").await, own);
    let own = format!("The workspace \"{lab}\" has no boards yet. create_board makes one.");
    assert_eq!(world.boards_of(&lab).await, own);
}

// sec:K02
#[tokio::test]
async fn a_name_makes_no_line_of_its_own() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    db.execute("update workspaces set name = E'Docs\\n- Shop\\u202e'").await;
    db.execute("update workspace_aliases set alias = E'docs\\u2028'").await;
    db.execute("update accounts set name = E'North\\r'").await;
    let mut said = Vec::new();
    for (tool, arguments) in [
        ("list_workspaces", json!({})),
        ("list_boards", json!({})),
        ("list_boards", json!({"workspace": "nowhere"})),
    ] {
        said.push(without_ids(&claude.call(tool, arguments).await.to_string()));
    }
    db.execute("update memberships set role = 'viewer'").await;
    said.push(claude.call("create_board", json!({"title": "Launch"})).await.to_string());
    db.execute("update workspaces set state = 'paused'").await;
    for arguments in [json!({}), json!({"workspace": "docs\u{2028}"})] {
        said.push(claude.call("list_boards", arguments).await.to_string());
    }

    insta::assert_snapshot!(said.join("\n"), @r#"
    Your workspaces:
    - Docs\n- Shop\u{202e} [<id>], also called docs\u{2028}; account North\r; you may read and write (member)
    The workspace "Docs\n- Shop\u{202e}" has no boards yet. create_board makes one.
    refused: You have no such workspace. Call again with `workspace` set to one of: "Docs\n- Shop\u{202e}" (docs\u{2028}).
    refused: Your role in the workspace "Docs\n- Shop\u{202e}" is viewer, which does not allow this tool: it needs write. Ask an admin of the workspace to change your role, or do it in another.
    refused: You have no workspace that can be used here now. Ask whoever manages them. "Docs\n- Shop\u{202e}": it is paused.
    refused: You have no such workspace. None of yours can be used here now. Ask whoever manages them. "Docs\n- Shop\u{202e}": it is paused.
    "#);
}

// sec:K02, mcp:T2
#[tokio::test]
async fn of_two_workspaces_of_one_name_neither_is_picked() {
    let world = World::new().await;
    let account = world.acme.account("Second").await;
    let mut conn = storage::acquire(world.acme.gateway.pool()).await.unwrap();
    let twin = storage::workspace::insert(&mut conn, world.acme.id, account, "Docs").await.unwrap();
    storage::membership::upsert(&mut conn, world.acme.id, world.ada.id, twin, Role::Member)
        .await
        .unwrap();
    drop(conn);

    let refused = without_ids(&world.boards_of("docs").await);
    insta::assert_snapshot!(refused, @r#"refused: More than one of your workspaces has that name. Call again with `workspace` set to one of these ids: <id> (account docs), <id> (account Second)."#);
    let own = "The workspace \"Docs\" has no boards yet. create_board makes one.";
    assert_eq!(world.boards_of(&twin.to_string()).await, own);
    assert_eq!(world.boards_of("docs.example").await, NO_BOARDS);
}

// sec:K09, mcp:T2, cli:76
#[tokio::test]
async fn a_workspace_may_be_left_out_while_there_is_one() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").member_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let call = || async { claude.call("list_boards", json!({})).await.to_string() };
    assert_eq!(call().await, NO_BOARDS);
    assert_eq!(boards_of(&claude, "").await, NO_BOARDS);

    ada.join("shop", Role::Member).await;
    insta::assert_snapshot!(call().await, @r#"refused: Say which workspace you mean. Call again with `workspace` set to one of: "docs" (docs.example), "shop" (shop.example)."#);

    acme.set_workspace("shop", WorkspaceState::Paused).await;
    assert_eq!(call().await, NO_BOARDS);

    ada.leave("docs").await;
    insta::assert_snapshot!(call().await, @r#"refused: You have no workspace that can be used here now. Ask whoever manages them. "shop": it is paused."#);
    ada.leave("shop").await;
    insta::assert_snapshot!(call().await, @r#"refused: You have no workspace that can be used here now. Ask whoever manages the account to add you to one."#);
}

#[tokio::test]
async fn a_role_allows_what_it_allows_at_this_moment() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").viewer_of("docs").await;
    let claude = ada.connect(Client::claude()).await;
    let create = |title: &str| {
        let arguments = json!({"title": title});
        let claude = &claude;
        async move { without_ids(&claude.call("create_board", arguments).await.to_string()) }
    };

    assert_eq!(boards_of(&claude, "docs").await, NO_BOARDS);
    insta::assert_snapshot!(create("One").await, @r#"refused: Your role in the workspace "docs" is viewer, which does not allow this tool: it needs write. Ask an admin of the workspace to change your role, or do it in another."#);
    ada.join("docs", Role::Member).await;
    insta::assert_snapshot!(create("Two").await, @r#"Created the board "Two" [<id>] (https://app.acme.example/boards/<id>) with the columns "To do", "Doing", "Done"."#);
    ada.join("docs", Role::Viewer).await;
    assert!(claude.call("create_board", json!({"title": "Three"})).await.is_error());
}

// mcp:R10, cli:77
#[tokio::test]
async fn a_connection_that_was_allowed_to_read_does_not_write() {
    let db = Database::new().await;
    let acme = Tenant::new(&db).await;
    let ada = acme.person("ada").admin_of("docs").await;
    let claude = ada.connect(Client::claude().asking_for("read")).await;

    assert_eq!(boards_of(&claude, "docs").await, NO_BOARDS);
    let refused = claude.call("create_board", json!({"title": "One"})).await.0;
    insta::assert_snapshot!(refused.brief(), @r#"403 {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"create_board needs a connection with read write; connect again and allow it"}}"#);
    insta::assert_snapshot!(refused.header("www-authenticate").unwrap(), @r#"Bearer error="insufficient_scope", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/boards", scope="read write""#);
    assert_eq!(boards_of(&claude, "docs").await, NO_BOARDS);
}

// pre:C7, pre:C10, mcp:T1, mcp:T2, sec:J10, cli:76, cli:91
#[tokio::test]
async fn a_call_that_cannot_be_understood_is_refused_before_anything_runs() {
    let world = World::new().await;
    let mut answers = Vec::new();
    for (tool, arguments) in [
        ("drop_board", json!({})),
        ("Read_board", json!({})),
        ("list_boards", json!({"workspace": 7})),
        ("list_boards", json!({"workspace": null})),
        ("list_boards", json!({"workspace": "do\0cs"})),
        ("list_workspaces", json!({"workspace": "docs"})),
        ("create_board", json!({"workspace": "docs"})),
        ("create_board", json!({"workspace": "docs", "title": "x".repeat(201)})),
        ("create_board", json!({"workspace": "docs", "title": "a\0b"})),
        ("create_board", json!({"workspace": "docs", "title": "a\nb"})),
        ("create_board", json!({"workspace": "docs", "title": "a", "columns": []})),
        ("create_board", json!({"workspace": "docs", "title": "a", "columns": ["b", 1]})),
        ("create_board", json!({"workspace": "docs", "title": "a", "columns": ["b", "B"]})),
        ("create_board", json!({"workspace": "docs", "title": "a", "colour": "red"})),
    ] {
        answers.push(world.claude.call(tool, arguments).await.to_string());
    }

    insta::assert_snapshot!(answers.join("\n"), @r#"
    {"code":-32602,"message":"Unknown tool: drop_board"}
    {"code":-32602,"message":"Unknown tool: Read_board"}
    refused: workspace: must be of type string
    refused: workspace: must be of type string
    refused: arguments: must not contain the character NUL
    refused: workspace: no such argument
    refused: title: is required
    refused: title: must have at most 200 characters
    refused: arguments: must not contain the character NUL
    refused: title: must be one line, without control characters
    refused: columns: must not be empty
    refused: columns[1]: must be of type string
    refused: columns: every column must have a title of its own
    refused: colour: no such argument
    "#);
    assert_eq!(world.boards_of("docs").await, NO_BOARDS);
}

// mcp:M11
#[tokio::test]
async fn everybody_is_shown_the_same_tools() {
    let world = World::new().await;
    let bob = world.acme.person("bob").viewer_of("docs").await;
    let cursor = bob.connect(Client::claude().asking_for("read")).await;
    let list =
        |connection: Connection| async move { connection.ask("tools/list", json!({})).await.body };

    let before = list(world.claude.clone()).await;
    assert_eq!(list(cursor).await, before);
    world.ada.leave("docs").await;
    assert_eq!(list(world.claude.clone()).await, before);
}
