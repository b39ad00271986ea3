//! Connections that may do less than their person: an address for one workspace, an address that
//! only reads, and the workspaces that the person chose. What they may not is settled at each call.

use portico_model::{ClientId, Kind, PlainToken, Role, Scopes, WorkspaceId, WorkspaceState};
use portico_storage as storage;
use portico_storage::connection::Consent;
use portico_testkit::{Client, Connection, Database, Person, Tenant, without_ids};
use serde_json::{Value, json};

struct World {
    db: Database,
    acme: Tenant,
    ada: Person,
    claude: Connection,
    docs: WorkspaceId,
    shop: WorkspaceId,
}

/// What a person allowed an app, and where.
#[derive(Default)]
struct Narrow<'n> {
    /// What follows the server's address.
    path: &'n str,
    pinned: Option<WorkspaceId>,
    is_read_only: bool,
    workspaces: Option<&'n [WorkspaceId]>,
}

impl World {
    /// Ada is a member of docs and of shop; there is a lab that she is no member of.
    async fn new() -> Self {
        let db = Database::new().await;
        let acme = Tenant::new(&db).await;
        let ada = acme.person("ada").member_of("docs").member_of("shop").await;
        let claude = ada.connect(Client::claude()).await;
        let docs = acme.workspace("docs").await;
        let shop = acme.workspace("shop").await;
        acme.workspace("lab").await;
        Self { db, acme, ada, claude, docs, shop }
    }

    /// The same app, which believes itself to be connected to another address.
    fn at(&self, path: &str) -> Connection {
        let mut app = self.claude.clone();
        app.registered.resource = format!("{}{path}", self.acme.resource());
        app
    }

    /// The same app at another address, or with less.
    async fn connect(&self, narrow: Narrow<'_>) -> Connection {
        let mut app = self.at(narrow.path);
        let issuer = self.acme.gateway.issuer(&self.acme.slug);
        let resource = issuer.resource(&issuer.target(&app.registered.resource).unwrap());
        let scopes = if narrow.is_read_only { "read" } else { "read write" };
        let consent = Consent {
            person: self.ada.id,
            client: app.registered.id.parse::<ClientId>().unwrap(),
            resource: &resource,
            server: "boards",
            host: None,
            version: 1,
            redirect_uri: &app.registered.client.redirect_uri,
            scopes: &Scopes::parse(scopes),
            pinned: narrow.pinned,
            is_read_only: narrow.is_read_only,
            workspaces: narrow.workspaces,
            ttl: None,
        };
        let token = PlainToken::mint(Kind::AccessToken, portico_testkit::random::bytes());
        let mut conn = storage::acquire(self.acme.gateway.pool()).await.unwrap();
        let connection = storage::connection::insert(&mut conn, self.acme.id, &consent)
            .await
            .unwrap()
            .made()
            .unwrap();
        let hash = token.hash();
        storage::access_token::insert(&mut conn, self.acme.id, &hash, connection, None)
            .await
            .unwrap();
        token.expose().clone_into(&mut app.token);
        app
    }
}

async fn boards(app: &Connection, arguments: Value) -> String {
    without_ids(&app.call("list_boards", arguments).await.to_string())
}

async fn boards_of(app: &Connection, workspace: impl ToString) -> String {
    boards(app, json!({ "workspace": workspace.to_string() })).await
}

async fn workspaces(app: &Connection) -> String {
    without_ids(&app.call("list_workspaces", json!({})).await.to_string())
}

const DOCS: &str = "The workspace \"docs\" has no boards yet. create_board makes one.";
const SHOP: &str = "The workspace \"shop\" has no boards yet. create_board makes one.";

// sec:K01, sec:K02
#[tokio::test]
async fn an_address_for_one_workspace_leads_to_it_and_nowhere_else() {
    let world = World::new().await;
    let by_id = format!("/w/{}", world.docs);
    for path in ["/w/docs.example", "/w/Docs.Example", "/w/docs%2Eexample", &*by_id] {
        let app =
            world.connect(Narrow { path, pinned: Some(world.docs), ..Narrow::default() }).await;

        for arguments in [json!({}), json!({ "workspace": "" })] {
            assert_eq!(boards(&app, arguments).await, DOCS, "{path}");
        }
        for name in ["docs", "docs.example", &world.docs.to_string()] {
            assert_eq!(boards_of(&app, name).await, DOCS, "{path} {name}");
        }
        let other = boards_of(&app, "shop").await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(other, @r#"refused: This address is for the workspace "docs" only. Leave `workspace` out."#);
        }
        for name in ["shop.example", &world.shop.to_string()] {
            assert_eq!(boards_of(&app, name).await, other, "{path} {name}");
        }
        let absent = boards_of(&app, "nowhere").await;
        for name in ["lab", "lab.example", "7f1d0a36-3c1c-4a53-9d2c-6f0f2f0a9a11"] {
            assert_eq!(boards_of(&app, name).await, absent, "{path} {name}");
        }
        let listed = workspaces(&app).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(absent, @r#"refused: You have no such workspace. Call again with `workspace` set to one of: "docs" (docs.example)."#);
            insta::assert_snapshot!(listed, @r#"
            Your workspaces:
            - docs [id], also called docs.example; account docs; you may read and write (member)
            "#);
        }
    }
}

// mcp:R8, sec:I12
#[tokio::test]
async fn a_token_for_an_address_is_nothing_at_a_wider_or_another_one() {
    let world = World::new().await;
    let pinned = Some(world.docs);
    let app = world.connect(Narrow { path: "/w/docs.example", pinned, ..Narrow::default() }).await;
    let server = world.acme.resource();
    let status = async |app: &Connection, path: &str| {
        let mut app = app.clone();
        app.registered.resource = format!("{server}{path}");
        app.ask("ping", json!({})).await.status.as_u16()
    };

    assert_eq!(status(&app, "/w/docs.example").await, 200);
    assert_eq!(status(&app, "/w/docs.example/").await, 200);
    assert_eq!(status(&world.claude, "").await, 200);
    for (holder, path) in [
        (&app, ""),
        (&app, "/w/shop.example"),
        (&app, "/w/docs.example/readonly"),
        (&app, "/readonly"),
        (&app, "/w/docs"),
        (&world.claude, "/w/docs.example"),
        (&world.claude, "/readonly"),
    ] {
        assert_eq!(status(holder, path).await, 401, "{path}");
    }
    for path in ["/w/", "/w", "/w/docs.example/x", "/readonly/w/docs.example", "/readonly/x"] {
        assert_eq!(status(&app, path).await, 404, "{path}");
    }
}

#[tokio::test]
async fn an_address_that_means_another_workspace_now_leads_to_neither() {
    let world = World::new().await;
    let pinned = Some(world.docs);
    let app = world.connect(Narrow { path: "/w/docs.example", pinned, ..Narrow::default() }).await;
    assert_eq!(boards(&app, json!({})).await, DOCS);
    let lab = world.acme.workspace("lab").await;
    let means = async |workspace: WorkspaceId| {
        let set = format!(
            "update workspace_aliases set workspace_id = '{workspace}' where alias = 'docs.example'"
        );
        world.db.execute(&set).await;
    };

    means(world.shop).await;
    insta::assert_snapshot!(boards(&app, json!({})).await, @"refused: This address means another workspace now than the one that the person allowed. Ask them to connect again.");
    insta::assert_snapshot!(boards_of(&app, "shop").await, @r#"refused: This address is for the workspace "docs" only. Leave `workspace` out."#);

    // One that the person is no member of is told as one that is not there.
    means(lab).await;
    let elsewhere = boards(&app, json!({})).await;
    assert_eq!(elsewhere, boards_of(&app, "nowhere").await);
    world.db.execute("delete from workspace_aliases where alias = 'docs.example'").await;
    assert_eq!(boards(&app, json!({})).await, elsewhere);
}

// sec:K03, sec:K05, pre:O10
#[tokio::test]
async fn an_address_for_one_workspace_follows_what_becomes_of_it() {
    let world = World::new().await;
    let pinned = Some(world.docs);
    let app = world.connect(Narrow { path: "/w/docs.example", pinned, ..Narrow::default() }).await;

    world.acme.set_workspace("docs", WorkspaceState::Paused).await;
    insta::assert_snapshot!(boards(&app, json!({})).await, @r#"refused: The workspace "docs" cannot be used now: it is paused. Ask whoever manages it, or use another; list_workspaces lists yours."#);
    world.acme.set_workspace("docs", WorkspaceState::Live).await;
    assert_eq!(boards(&app, json!({})).await, DOCS);

    world.ada.leave("docs").await;
    let gone = boards(&app, json!({})).await;
    insta::assert_snapshot!(gone, @"refused: You have no such workspace. None of yours can be used here now. Ask whoever manages the account to add you to one.");
    assert_eq!(boards_of(&app, world.docs).await, gone);
    assert_eq!(boards_of(&app, "lab").await, gone);
    insta::assert_snapshot!(workspaces(&app).await, @"You have no workspace that can be used here now. Ask whoever manages your account.");

    world.ada.join("docs", Role::Member).await;
    assert_eq!(boards(&app, json!({})).await, DOCS);
}

// sec:K01, sec:K09
#[tokio::test]
async fn a_connection_works_only_in_the_workspaces_that_were_chosen() {
    let world = World::new().await;
    let app = world.connect(Narrow { workspaces: Some(&[world.docs]), ..Narrow::default() }).await;

    assert_eq!(boards(&app, json!({})).await, DOCS);
    assert_eq!(boards_of(&app, "docs").await, DOCS);
    let closed = boards_of(&app, "shop").await;
    insta::assert_snapshot!(closed, @r#"refused: This connection may not use the workspace "shop"; the person can allow it by connecting again. Call again with `workspace` set to one of: "docs" (docs.example)."#);
    for name in ["shop.example", &world.shop.to_string()] {
        assert_eq!(boards_of(&app, name).await, closed, "{name}");
    }
    insta::assert_snapshot!(workspaces(&app).await, @r#"
    Your workspaces:
    - docs [id], also called docs.example; account docs; you may read and write (member)
    "#);

    // A workspace that the person joins later was not chosen either.
    world.ada.join("lab", Role::Member).await;
    assert_eq!(boards(&app, json!({})).await, DOCS);
    assert_eq!(boards_of(&app, "lab").await, closed.replace("shop", "lab"));
    // The other connection is for all of them, later ones too.
    assert_eq!(boards_of(&world.claude, "lab").await, DOCS.replace("docs", "lab"));
}

// sec:K01, sec:K03, pre:O10
#[tokio::test]
async fn a_choice_gives_nothing_to_whoever_is_a_member_no_more() {
    let world = World::new().await;
    let both = [world.docs, world.shop];
    let app = world.connect(Narrow { workspaces: Some(&both), ..Narrow::default() }).await;
    let other = world.acme.gateway.with_pool(world.db.pool().await).await;
    let instances = [app.clone(), app.before(&other)];
    for app in &instances {
        assert_eq!(boards_of(app, "shop").await, SHOP);
    }

    world.ada.leave("shop").await;

    for app in &instances {
        let gone = boards_of(app, "shop").await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(gone, @r#"refused: You have no such workspace. Call again with `workspace` set to one of: "docs" (docs.example)."#);
        }
        for name in ["shop.example", &world.shop.to_string(), "lab", "nowhere"] {
            assert_eq!(boards_of(app, name).await, gone, "{name}");
        }
        assert_eq!(boards(app, json!({})).await, DOCS);
    }
    world.ada.leave("docs").await;
    for app in &instances {
        let none = boards(app, json!({})).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(none, @"refused: You have no workspace that can be used here now. Ask whoever manages the account to add you to one.");
        }
    }
    world.ada.join("shop", Role::Viewer).await;
    for app in &instances {
        assert_eq!(boards(app, json!({})).await, SHOP);
    }
}

// sec:K02
#[tokio::test]
async fn a_name_that_only_one_chosen_workspace_has_is_not_ambiguous() {
    let world = World::new().await;
    let account = world.acme.account("Second").await;
    let mut conn = storage::acquire(world.acme.gateway.pool()).await.unwrap();
    let twin = storage::workspace::insert(&mut conn, world.acme.id, account, "Docs").await.unwrap();
    let member = Role::Member;
    storage::membership::upsert(&mut conn, world.acme.id, world.ada.id, twin, member)
        .await
        .unwrap();
    drop(conn);
    let app = world.connect(Narrow { workspaces: Some(&[twin]), ..Narrow::default() }).await;

    assert_eq!(boards_of(&app, "docs").await, DOCS.replace("docs", "Docs"));
    let everywhere = boards_of(&world.claude, "docs").await;
    insta::assert_snapshot!(everywhere, @r#"refused: More than one of your workspaces has that name. Call again with `workspace` set to one of these ids: id (account docs), id (account Second)."#);
}

#[tokio::test]
async fn an_address_that_only_reads_has_no_tool_that_writes() {
    let world = World::new().await;
    let pinned = Some(world.docs);
    for (path, pinned) in [("/readonly", None), ("/w/docs.example/readonly", pinned)] {
        let narrow = Narrow { path, pinned, is_read_only: true, ..Narrow::default() };
        let app = world.connect(narrow).await;
        for app in [app.clone(), app.clone().per_request()] {
            let list = app.ask("tools/list", json!({})).await.json();
            let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
            let names: Vec<_> =
                list["result"]["tools"].as_array().unwrap().iter().map(name).collect();
            assert_eq!(names, ["list_workspaces", "list_boards", "read_board"], "{path}");
            assert_eq!(boards_of(&app, "docs").await, DOCS, "{path}");
            let write = app.call("create_board", json!({ "title": "Plans" })).await;
            let unknown = app.call("no_such_tool", json!({})).await;
            assert_eq!(
                write.to_string(),
                unknown.to_string().replace("no_such_tool", "create_board"),
                "{path}"
            );
        }
        let batch = json!([{
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "create_board", "arguments": { "title": "Plans" } },
        }]);
        assert_eq!(
            app.send(&batch.to_string(), &[]).await.brief(),
            r#"200 [{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: create_board"}}]"#
        );
    }
    assert_eq!(world.db.rows("select title from boards").await, [] as [Value; 0]);
}

// pre:O9, sec:K01
#[tokio::test]
async fn a_narrow_address_is_connected_to_as_any_other_is() {
    let world = World::new().await;
    let server = world.acme.resource();
    for (path, only) in [
        ("/w/docs.example", None),
        ("/readonly", Some("read")),
        (&format!("/w/{}/readonly", world.docs), Some("read")),
    ] {
        let resource = format!("{server}{path}");
        let app = world.ada.connect_to(Client::claude(), &resource).await;

        assert_eq!(boards_of(&app, "docs").await, DOCS, "{path}");
        let shop = boards_of(&app, "shop").await;
        assert_eq!(shop == SHOP, path == "/readonly", "{path}: {shop}");
        let write = app.call("create_board", json!({ "workspace": "docs", "title": "T" })).await;
        assert_eq!(write.is_error(), only.is_some(), "{path}: {write}");
        let mut elsewhere = app.clone();
        elsewhere.registered.resource.clone_from(&server);
        assert_eq!(elsewhere.ask("ping", json!({})).await.status, 401, "{path}");
        world.db.execute("delete from cards; delete from board_columns; delete from boards").await;
    }
}

// pre:C12
#[tokio::test]
async fn the_record_says_why_a_narrow_connection_was_refused() {
    let world = World::new().await;
    let chosen =
        world.connect(Narrow { workspaces: Some(&[world.docs]), ..Narrow::default() }).await;
    let pinned = Some(world.docs);
    let pinned =
        world.connect(Narrow { path: "/w/docs.example", pinned, ..Narrow::default() }).await;
    boards_of(&chosen, "shop").await;
    boards_of(&pinned, "shop").await;
    let shop = world.shop;
    world
        .db
        .execute(&format!(
            "update workspace_aliases set workspace_id = '{shop}' where alias = 'docs.example'"
        ))
        .await;
    boards(&pinned, json!({})).await;

    world.db.wait_for_calls(3).await;
    let rows = world.db.rows("select reason, workspace_id from calls order by started_at").await;
    let reason = |reason: &str| json!({ "reason": reason, "workspace_id": null });
    assert_eq!(
        rows,
        [reason("workspace_not_chosen"), reason("workspace_not_pinned"), reason("address_moved")]
    );
}
