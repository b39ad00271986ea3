//! The bare servers: the least that a server could do to give the same answer. One gives constant
//! bytes; the other runs the statements of a call, in the same order and transaction, and nothing
//! beside them.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::serve::ListenerExt as _;
use bytes::Bytes;
use portico_model::{Kind, PlainToken};
use portico_registry::{self as registry, Tool};
use portico_storage::admit::{self, Reference};
use portico_storage::{self as storage, Pool};
use serde_json::json;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::case;
use crate::options::{Floor, Kind as FloorKind};
use crate::world::{BOARD, World};

struct Bare {
    pool: Pool,
    world: World,
    read_board: Tool,
    alias: String,
}

pub(crate) async fn serve(options: Floor) -> Result<()> {
    let world: World = serde_json::from_str(&options.plan)?;
    let cores = std::thread::available_parallelism()?.get();
    let pool = storage::connect(&options.database_url, u32::try_from(cores * 4)?).await?;
    let tools = portico_board::module().tools;
    let read_board = tools.into_iter().find(|tool| tool.name == "read_board");
    let read_board = read_board.context("the module lost its tool")?;
    let alias = world.named(case::Reference::Alias).context("an alias is a name")?;
    let bare = Arc::new(Bare { pool, world, read_board, alias });
    let router = match options.kind {
        FloorKind::Constant => {
            let token = bare.world.busy.values().flatten().next().context("no token")?;
            let text = bare.answer(token, "id").await?;
            let body = Bytes::from(envelope(&text).to_string());
            Router::new().route("/{reference}", post(move |_: Bytes| async move { as_json(body) }))
        }
        FloorKind::Statements => Router::new().route("/{reference}", post(read)).with_state(bare),
    };
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
    let listener = listener.tap_io(|stream| {
        // Without it, the last part of an answer would wait for the client.
        drop(stream.set_nodelay(true));
    });
    Ok(axum::serve(listener, router).await?)
}

async fn read(
    State(bare): State<Arc<Bare>>,
    Path(reference): Path<String>,
    headers: HeaderMap,
    _body: Bytes,
) -> Response {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    match bare.answer(token, &reference).await {
        Ok(text) => as_json(Bytes::from(envelope(&text).to_string())),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

impl Bare {
    /// The statements of a call.
    async fn answer(&self, token: &str, reference: &str) -> Result<String> {
        let hash = PlainToken::parse(Kind::AccessToken, token)?.hash();
        let reference = match reference {
            "id" => Reference::Id(self.world.workspace),
            "alias" => Reference::Alias(&self.alias),
            _ => Reference::Sole,
        };
        let admission = admit::admit(&self.pool, self.world.tenant, &hash, reference).await?;
        let admission = admission.context("the token is unknown")?;
        let [found] = admission.found.as_slice() else {
            bail!("there is no one workspace");
        };
        let context = registry::Context {
            tenant: self.world.tenant,
            workspace: registry::Workspace { id: found.workspace, name: found.name.clone() },
            person: admission.person,
            connection: admission.connection,
            call: portico_model::CallId::from_uuid(Uuid::nil()),
            links: None,
        };
        let mut tx = storage::begin_read(&self.pool).await?;
        let arguments = json!({ "board": BOARD });
        let answer = self.read_board.run(&mut tx, &context, arguments).await?;
        storage::commit(tx).await?;
        Ok(answer.into_text())
    }
}

fn envelope(text: &str) -> serde_json::Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": content } })
}

fn as_json(body: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
