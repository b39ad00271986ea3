//! Real clients and a real browser against the real program. Each goes to every address of the
//! demo: both servers, and so both ways for a token to live, at the gateway's origin and at a host
//! of the tenant's. It connects, works, goes on when its access token has run out, is disconnected
//! in the panel, is refused, and connects again.

mod board;
mod program;

use portico_testkit::{Database, Portico, Scratch};
use serde_json::{Value, json};
use url::Url;

use self::board::Board;
use self::program::Program;

const TOOLS: [&str; 7] = [
    "list_workspaces",
    "list_boards",
    "read_board",
    "create_board",
    "create_card",
    "update_card",
    "move_card",
];
const CARD: &str = "Write the announcement";

/// What an app makes of being refused.
const UNAUTHORIZED: &str = "UnauthorizedError";
const ASKS: &str = "asks to sign in again";

/// An address of the demo's, and what is known about it.
struct Address<'a> {
    server: &'a str,
    title: &'a str,
    url: &'a str,
    /// Whether its access tokens run out.
    expires: bool,
}

// pre:O22
#[test]
fn the_typescript_sdk_1_goes_the_whole_way_everywhere() {
    let app = App { name: "Journey with SDK 1", refused: UNAUTHORIZED, protocol: "2025-11-25" };
    app.travels(&Program::node("sdk1.mjs"));
}

#[test]
fn the_typescript_sdk_2_goes_the_whole_way_everywhere_with_a_handshake() {
    let name = "Journey with SDK 2 (legacy)";
    let app = App { name, refused: UNAUTHORIZED, protocol: "2025-11-25" };
    app.travels(&Program::node("sdk2.mjs").with("legacy").that_wants_localhost());
}

#[test]
fn the_typescript_sdk_2_goes_the_whole_way_everywhere_without_a_handshake() {
    let name = "Journey with SDK 2 (2026-07-28)";
    let app = App { name, refused: UNAUTHORIZED, protocol: "2026-07-28" };
    app.travels(&Program::node("sdk2.mjs").with("2026-07-28").that_wants_localhost());
}

#[test]
fn the_python_sdk_goes_the_whole_way_everywhere_with_a_handshake() {
    let name = "Journey with the Python SDK";
    let app = App { name, refused: ASKS, protocol: "2025-11-25" };
    app.travels(&Program::python("python_sdk.py").with("legacy"));
}

#[test]
fn the_python_sdk_goes_the_whole_way_everywhere_without_a_handshake() {
    let name = "Journey with the Python SDK";
    let app = App { name, refused: ASKS, protocol: "2026-07-28" };
    app.travels(&Program::python("python_sdk.py").with("auto"));
}

#[test]
fn fastmcp_goes_the_whole_way_everywhere_with_a_handshake() {
    let app = App { name: "FastMCP Client", refused: ASKS, protocol: "2025-11-25" };
    app.travels(&Program::python("fastmcp_client.py").with("legacy"));
}

// cli:36
#[test]
fn fastmcp_goes_the_whole_way_everywhere_without_a_handshake() {
    let app = App { name: "FastMCP Client", refused: ASKS, protocol: "2026-07-28" };
    app.travels(&Program::python("fastmcp_client.py").with("auto"));
}

// cli:67
#[test]
fn mcp_remote_goes_the_whole_way_everywhere() {
    // Its host hears the server's name, and not which revision it was asked in.
    let app = App { name: "MCP CLI Proxy", refused: ASKS, protocol: "" };
    app.travels(&Program::node("mcp-remote.mjs").that_wants_localhost());
}

// cli:27
#[test]
fn mcporter_goes_the_whole_way_everywhere() {
    // A program a call, each of which registers anew.
    let app = App { name: "mcporter (acme)", refused: ASKS, protocol: "" };
    app.travels(&Program::node("mcporter.mjs").that_hears_no_name());
}

struct App {
    name: &'static str,
    refused: &'static str,
    /// Empty if the program cannot tell.
    protocol: &'static str,
}

impl App {
    /// To every address, one after the other, in one demo.
    fn travels(&self, program: &Program) {
        let (scratch, mut board) = (Scratch::new(), Board::of_the_demo());
        let portico = Portico::dev(&scratch);
        let mut addresses = addresses(&portico.welcome);
        let planners = addresses.pop().unwrap();
        self.visits(program, &portico, &mut board, &addresses);
        let url = if program.wants_localhost { swap_hosts(&portico) } else { planners.url };
        self.visits(program, &portico, &mut board, &[Address { url, ..planners }]);
    }

    fn visits(
        &self,
        program: &Program,
        portico: &Portico,
        board: &mut Board,
        addresses: &[Address<'_>],
    ) {
        let mut targets = Vec::new();
        let mut expected = Vec::new();
        for address in addresses {
            let column = board.next_column(CARD);
            targets.push(json!({
                "url": address.url,
                "panel": panel(address.url),
                "column": column,
                "expires": address.expires,
            }));
            expected.push(self.expected(address, board, column, program.hears_name));
        }
        assert_eq!(program.run(portico, &targets), expected);
    }

    fn expected(
        &self,
        address: &Address<'_>,
        board: &mut Board,
        column: &str,
        hears_name: bool,
    ) -> Value {
        let name = self.name;
        let asked = format!("Connect {name} to Acme?");
        let mut server = json!({});
        if hears_name {
            server = json!({ "name": address.server, "title": address.title });
        }
        if !self.protocol.is_empty() {
            server["protocol"] = self.protocol.into();
        }
        let mut expected = json!({
            "url": address.url,
            "asked": [asked, asked],
            "server": server,
            "tools": TOOLS,
            "read": board.text(),
            "moved": board.move_card(CARD, column),
            "panel": format!("{name} is disconnected. It can no longer reach your workspaces."),
            "refused": self.refused,
            "again": board.text(),
        });
        if address.expires {
            expected["refreshed"] = board.text().into();
        }
        expected
    }
}

fn addresses(welcome: &Value) -> Vec<Address<'_>> {
    let servers = welcome["servers"].as_array().unwrap();
    servers
        .iter()
        .flat_map(|server| ["url", "vanity_url"].map(|url| address(server, url)))
        .collect()
}

fn address<'a>(server: &'a Value, url: &str) -> Address<'a> {
    let read = |name: &str| server[name].as_str().unwrap();
    let title = match read("name") {
        "boards" => "Acme boards",
        "planner" => "Acme planner",
        other => panic!("the demo has no {other}"),
    };
    let expires = read("access_token") != "until-revoked";
    Address { server: read("name"), title, url: read(url), expires }
}

/// Gives each server the other's host: some clients speak without TLS to `localhost` alone.
/// Answers the address that is the second server's from then on.
fn swap_hosts(portico: &Portico) -> &str {
    let document = "select document from tenant_versions order by version desc limit 1";
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let database = portico.database_url();
        let rows = Database::at(&database).rows(document).await;
        let [first, second] = ["\"localhost\"", "\"127.0.0.2\""];
        let document = rows[0]["document"].as_str().unwrap().replace(first, "[other]");
        let document = document.replace(second, first).replace("[other]", second);
        portico.tenant(&database).await.apply(&document).await;
    });
    portico.welcome["vanity_url"].as_str().unwrap()
}

/// Where a person ends what was connected there.
fn panel(url: &str) -> String {
    Url::parse(url).unwrap().join("/connections").unwrap().into()
}
