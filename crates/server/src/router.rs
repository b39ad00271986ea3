//! The list of routes.

use axum::Router;

use crate::app::App;
use crate::{dialect, edge, locate, mcp, oauth, pages, well_known};

/// Everything that the public listener answers.
pub fn router(app: App) -> Router {
    let routes = Router::new()
        .merge(mcp::routes())
        .merge(oauth::routes())
        .merge(pages::routes())
        .merge(well_known::routes())
        .fallback(dialect::nothing_here)
        .with_state(app.clone());
    edge::around(app.edge.clone(), app.pool.clone(), locate::around(app, routes))
}
