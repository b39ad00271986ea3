create table boards (
    tenant_id uuid not null,
    board_id uuid not null default gen_random_uuid(),
    workspace_id uuid not null,
    title text not null,
    created_at timestamptz not null default portico_now(),
    constraint boards_pkey primary key (tenant_id, board_id),
    constraint boards_workspace_fkey foreign key (tenant_id, workspace_id) references workspaces
);

create unique index boards_title_key on boards (tenant_id, workspace_id, lower(title));

create table board_columns (
    tenant_id uuid not null,
    column_id uuid not null default gen_random_uuid(),
    board_id uuid not null,
    title text not null,
    position integer not null,
    constraint board_columns_pkey primary key (tenant_id, column_id),
    -- So that a card's column is one of its board's.
    constraint board_columns_board_key unique (tenant_id, board_id, column_id),
    constraint board_columns_board_fkey foreign key (tenant_id, board_id) references boards
);

create unique index board_columns_title_key on board_columns (tenant_id, board_id, lower(title));

create sequence card_positions;

create table cards (
    tenant_id uuid not null,
    card_id uuid not null default gen_random_uuid(),
    board_id uuid not null,
    column_id uuid not null,
    title text not null,
    body text not null default '',
    assignee text,
    -- Order within the column, from a sequence: a new or moved card goes last.
    position bigint not null default nextval('card_positions'),
    created_at timestamptz not null default portico_now(),
    updated_at timestamptz not null default portico_now(),
    constraint cards_pkey primary key (tenant_id, card_id),
    constraint cards_column_fkey foreign key (tenant_id, board_id, column_id)
        references board_columns (tenant_id, board_id, column_id)
);

create index cards_column_index on cards (tenant_id, board_id, column_id, position);
create index cards_title_index on cards (tenant_id, board_id, lower(title));
