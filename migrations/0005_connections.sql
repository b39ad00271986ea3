create table clients (
    tenant_id uuid not null,
    client_id uuid not null default gen_random_uuid(),
    -- SHA-256 of the metadata, loopback ports removed: the same registration is the same client.
    digest bytea not null,
    name text,
    redirect_uris text[] not null,
    metadata jsonb not null,
    created_at timestamptz not null default portico_now(),
    constraint clients_pkey primary key (tenant_id, client_id),
    constraint clients_digest_key unique (tenant_id, digest),
    constraint clients_tenant_fkey foreign key (tenant_id) references tenants
);

create table authorization_requests (
    tenant_id uuid not null,
    request_id uuid not null default gen_random_uuid(),
    -- The browser that began it is the only one that may end it.
    browser_hash bytea not null,
    client_id uuid not null,
    redirect_uri text not null,
    state text,
    scopes text[] not null,
    challenge text not null,
    resource text not null,
    server text not null,
    created_at timestamptz not null default portico_now(),
    expires_at timestamptz not null,
    decided_at timestamptz,
    constraint authorization_requests_pkey primary key (tenant_id, request_id),
    constraint authorization_requests_client_fkey
        foreign key (tenant_id, client_id) references clients
);

-- The row that validity hangs on.
create table connections (
    tenant_id uuid not null,
    connection_id uuid not null default gen_random_uuid(),
    person_id uuid not null,
    client_id uuid not null,
    resource text not null,
    server text not null,
    redirect_uri text not null,
    scopes text[] not null,
    created_at timestamptz not null default portico_now(),
    last_used_at timestamptz,
    ended_at timestamptz,
    end_reason text,
    constraint connections_pkey primary key (tenant_id, connection_id),
    constraint connections_person_fkey foreign key (tenant_id, person_id) references people,
    constraint connections_client_fkey foreign key (tenant_id, client_id) references clients,
    constraint connections_end_check check ((ended_at is null) = (end_reason is null)),
    constraint connections_end_reason_check
        check (end_reason in ('person', 'client', 'code_replayed'))
);

create index connections_person_index on connections (tenant_id, person_id);

create table authorization_codes (
    code_hash bytea not null,
    tenant_id uuid not null,
    connection_id uuid not null,
    redirect_uri text not null,
    challenge text not null,
    wrong_verifiers integer not null default 0,
    created_at timestamptz not null default portico_now(),
    expires_at timestamptz not null,
    consumed_at timestamptz,
    constraint authorization_codes_pkey primary key (code_hash),
    constraint authorization_codes_connection_fkey
        foreign key (tenant_id, connection_id) references connections
);

create index authorization_codes_connection_index
    on authorization_codes (tenant_id, connection_id);

create table access_tokens (
    token_hash bytea not null,
    tenant_id uuid not null,
    connection_id uuid not null,
    created_at timestamptz not null default portico_now(),
    -- Null: until revoked.
    expires_at timestamptz,
    constraint access_tokens_pkey primary key (token_hash),
    constraint access_tokens_connection_fkey
        foreign key (tenant_id, connection_id) references connections
);

create index access_tokens_connection_index on access_tokens (tenant_id, connection_id);
