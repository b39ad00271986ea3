//! Boards. Each belongs to one workspace, and every statement names it.

use portico_model::{BoardId, TenantId, WorkspaceId};

use crate::{Conn, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub id: BoardId,
    pub title: String,
}

/// A board as a list shows it.
#[derive(Debug)]
pub struct Summary {
    pub id: BoardId,
    pub title: String,
    pub columns: i64,
    pub cards: i64,
}

/// Makes a board; `boards_title_key` refuses a title that the workspace has already.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    title: &str,
) -> Result<BoardId> {
    let row = sqlx::query!(
        "insert into boards (tenant_id, workspace_id, title) values ($1, $2, $3) returning board_id",
        tenant as TenantId,
        workspace as WorkspaceId,
        title,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.board_id)
}

pub async fn find(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    id: BoardId,
) -> Result<Option<Board>> {
    let board = sqlx::query_as!(
        Board,
        r#"
        select board_id as id, title from boards
        where tenant_id = $1 and workspace_id = $2 and board_id = $3
        "#,
        tenant as TenantId,
        workspace as WorkspaceId,
        id as BoardId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(board)
}

pub async fn find_by_title(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    title: &str,
) -> Result<Option<Board>> {
    let board = sqlx::query_as!(
        Board,
        r#"
        select board_id as id, title from boards
        where tenant_id = $1 and workspace_id = $2 and lower(title) = lower($3)
        "#,
        tenant as TenantId,
        workspace as WorkspaceId,
        title,
    )
    .fetch_optional(conn)
    .await?;
    Ok(board)
}

/// The workspace's boards in order of title, with what is on them.
pub async fn summaries(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    limit: i64,
) -> Result<Vec<Summary>> {
    let boards = sqlx::query_as!(
        Summary,
        r#"
        select b.board_id as id, b.title,
               (select count(*) from board_columns c
                where c.tenant_id = b.tenant_id and c.board_id = b.board_id) as "columns!",
               (select count(*) from cards k
                where k.tenant_id = b.tenant_id and k.board_id = b.board_id) as "cards!"
        from boards b
        where b.tenant_id = $1 and b.workspace_id = $2
        order by lower(b.title) collate "C"
        limit $3
        "#,
        tenant as TenantId,
        workspace as WorkspaceId,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(boards)
}
