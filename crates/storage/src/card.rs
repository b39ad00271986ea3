//! Cards. What finds one names the workspace that its board must be in.

use portico_model::{BoardId, CardId, ColumnId, TenantId, WorkspaceId};

use crate::{Conn, Result};

/// A card and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub id: CardId,
    pub title: String,
    pub assignee: Option<String>,
    pub board: BoardId,
    pub board_title: String,
    pub column: ColumnId,
    pub column_title: String,
}

/// A card as its board shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub id: CardId,
    pub title: String,
    pub assignee: Option<String>,
    pub column: ColumnId,
}

/// What a person writes on a card.
#[derive(Debug)]
pub struct Content<'c> {
    pub title: &'c str,
    pub body: &'c str,
    pub assignee: Option<&'c str>,
}

/// What is written anew; the rest stays.
#[derive(Debug)]
pub struct Change<'c> {
    pub title: Option<&'c str>,
    pub body: Option<&'c str>,
    /// Empty: nobody.
    pub assignee: Option<&'c str>,
}

/// Puts a new card last in the column, which must be one of the board's.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    board: BoardId,
    column: ColumnId,
    content: Content<'_>,
) -> Result<CardId> {
    let row = sqlx::query!(
        r#"
        insert into cards (tenant_id, board_id, column_id, title, body, assignee)
        values ($1, $2, $3, $4, $5, $6)
        returning card_id
        "#,
        tenant as TenantId,
        board as BoardId,
        column as ColumnId,
        content.title,
        content.body,
        content.assignee,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.card_id)
}

/// Keeps the card from others until the transaction ends: of two moves at once, the second tells
/// where the first has put it. False: the workspace has no such card.
///
/// It reads nothing of the column, which the move that it waits for may change: the row would be
/// checked once more against the old column, and be gone.
pub async fn lock(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    id: CardId,
) -> Result<bool> {
    let locked = sqlx::query!(
        r#"
        select k.card_id
        from cards k
        join boards b using (tenant_id, board_id)
        where k.tenant_id = $1 and b.workspace_id = $2 and k.card_id = $3
        for update of k
        "#,
        tenant as TenantId,
        workspace as WorkspaceId,
        id as CardId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(locked.is_some())
}

pub async fn find(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    id: CardId,
) -> Result<Option<Card>> {
    let card = sqlx::query_as!(
        Card,
        r#"
        select k.card_id as id, k.title, k.assignee, b.board_id as board, b.title as board_title,
               c.column_id as "column", c.title as column_title
        from cards k
        join boards b using (tenant_id, board_id)
        join board_columns c using (tenant_id, board_id, column_id)
        where k.tenant_id = $1 and b.workspace_id = $2 and k.card_id = $3
        "#,
        tenant as TenantId,
        workspace as WorkspaceId,
        id as CardId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(card)
}

/// The cards of that title in the workspace, on the given board or on any.
pub async fn titled(
    conn: &mut Conn,
    tenant: TenantId,
    workspace: WorkspaceId,
    board: Option<BoardId>,
    title: &str,
) -> Result<Vec<Card>> {
    let cards = sqlx::query_as!(
        Card,
        r#"
        select k.card_id as id, k.title, k.assignee, b.board_id as board, b.title as board_title,
               c.column_id as "column", c.title as column_title
        from boards b
        join cards k using (tenant_id, board_id)
        join board_columns c using (tenant_id, board_id, column_id)
        where b.tenant_id = $1 and b.workspace_id = $2
          and ($3::uuid is null or b.board_id = $3) and lower(k.title) = lower($4)
        order by lower(b.title) collate "C", c.position, k.position
        limit 10
        "#,
        tenant as TenantId,
        workspace as WorkspaceId,
        board as Option<BoardId>,
        title,
    )
    .fetch_all(conn)
    .await?;
    Ok(cards)
}

/// The board's cards, column by column, from top to bottom.
pub async fn of_board(
    conn: &mut Conn,
    tenant: TenantId,
    board: BoardId,
    limit: i64,
) -> Result<Vec<Line>> {
    let cards = sqlx::query_as!(
        Line,
        r#"
        select k.card_id as id, k.title, k.assignee, k.column_id as "column"
        from board_columns c
        join cards k using (tenant_id, board_id, column_id)
        where c.tenant_id = $1 and c.board_id = $2
        order by c.position, k.position
        limit $3
        "#,
        tenant as TenantId,
        board as BoardId,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(cards)
}

/// Whether there was such a card.
pub async fn update(
    conn: &mut Conn,
    tenant: TenantId,
    id: CardId,
    change: Change<'_>,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update cards
        set title = coalesce($3, title), body = coalesce($4, body),
            assignee = case when $5::text is null then assignee else nullif($5, '') end,
            updated_at = portico_now()
        where tenant_id = $1 and card_id = $2
        "#,
        tenant as TenantId,
        id as CardId,
        change.title,
        change.body,
        change.assignee,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Puts the card last in another column of its board. Whether there was such a card.
pub async fn relocate(
    conn: &mut Conn,
    tenant: TenantId,
    id: CardId,
    column: ColumnId,
) -> Result<bool> {
    let done = sqlx::query!(
        r#"
        update cards
        set column_id = $3, position = nextval('card_positions'), updated_at = portico_now()
        where tenant_id = $1 and card_id = $2
        "#,
        tenant as TenantId,
        id as CardId,
        column as ColumnId,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
