//! The columns of boards. Which board may be looked into was settled before.

use portico_model::{BoardId, ColumnId, TenantId};

use crate::{Conn, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub id: ColumnId,
    pub title: String,
    /// How many cards are in it.
    pub cards: i64,
}

/// Gives the board its columns, in this order; `board_columns_title_key` refuses a title twice.
pub async fn insert(
    conn: &mut Conn,
    tenant: TenantId,
    board: BoardId,
    titles: &[String],
) -> Result<()> {
    sqlx::query!(
        r#"
        insert into board_columns (tenant_id, board_id, title, position)
        select $1, $2, given.title, given.position
        from unnest($3::text[]) with ordinality as given (title, position)
        "#,
        tenant as TenantId,
        board as BoardId,
        titles,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The columns from left to right.
pub async fn of_board(conn: &mut Conn, tenant: TenantId, board: BoardId) -> Result<Vec<Column>> {
    let columns = sqlx::query_as!(
        Column,
        r#"
        select c.column_id as id, c.title,
               (select count(*) from cards k
                where k.tenant_id = c.tenant_id and k.board_id = c.board_id
                  and k.column_id = c.column_id) as "cards!"
        from board_columns c
        where c.tenant_id = $1 and c.board_id = $2
        order by c.position
        "#,
        tenant as TenantId,
        board as BoardId,
    )
    .fetch_all(conn)
    .await?;
    Ok(columns)
}
