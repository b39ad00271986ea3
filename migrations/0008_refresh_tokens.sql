-- A refresh token is good once; for a short grace its successor is answered again, since answers
-- get lost and several processes share one token.
create table refresh_tokens (
    token_hash bytea not null,
    tenant_id uuid not null,
    connection_id uuid not null,
    created_at timestamptz not null default portico_now(),
    -- Idle: pushed on by each rotation, never past the end of the connection.
    expires_at timestamptz not null,
    rotated_at timestamptz,
    -- How often the successor was answered again.
    repeats integer not null default 0,
    -- The answer that the successor was handed out in, sealed under a key that only the presented
    -- token gives, and erased after the grace.
    sealed_answer bytea,
    constraint refresh_tokens_pkey primary key (token_hash),
    constraint refresh_tokens_connection_fkey
        foreign key (tenant_id, connection_id) references connections,
    constraint refresh_tokens_sealed_check check (sealed_answer is null or rotated_at is not null)
);

create index refresh_tokens_connection_index
    on refresh_tokens (tenant_id, connection_id, created_at);
create index refresh_tokens_sealed_index
    on refresh_tokens (rotated_at) where sealed_answer is not null;

alter table access_tokens add column revoked_at timestamptz;

alter table connections
    -- The absolute end. Null: until it is ended.
    add column expires_at timestamptz,
    drop constraint connections_end_reason_check,
    add constraint connections_end_reason_check check (
        end_reason in ('person', 'client', 'code_replayed', 'refresh_replayed', 'server_removed')
    );

-- What happened to connections, for those who have to find out later. Written with the change.
create table security_events (
    tenant_id uuid not null,
    event_id uuid not null default gen_random_uuid(),
    happened_at timestamptz not null default portico_now(),
    event text not null,
    connection_id uuid,
    person_id uuid,
    client_id uuid,
    constraint security_events_pkey primary key (tenant_id, event_id),
    constraint security_events_tenant_fkey foreign key (tenant_id) references tenants
);

create index security_events_connection_index
    on security_events (tenant_id, connection_id, happened_at);

-- What has run out is looked for in batches, however much there is.
create index sessions_expiry_index on sessions (expires_at);
create index authorization_requests_expiry_index on authorization_requests (expires_at);
create index authorization_codes_expiry_index on authorization_codes (expires_at);
create index access_tokens_end_index on access_tokens (least(expires_at, revoked_at))
    where least(expires_at, revoked_at) is not null;
create index refresh_tokens_expiry_index on refresh_tokens (expires_at);
create index clients_created_index on clients (created_at);

-- Whether anything is a client's.
create index authorization_requests_client_index on authorization_requests (tenant_id, client_id);
create index connections_client_index on connections (tenant_id, client_id);
