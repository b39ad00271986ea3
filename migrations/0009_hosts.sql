-- Hosts of a tenant's own. One is served only when it was proved to be the tenant's, and by one
-- tenant.
create table hosts (
    tenant_id uuid not null,
    -- Lower case, without a port.
    host text not null,
    server text not null,
    created_at timestamptz not null default portico_now(),
    proved_at timestamptz,
    constraint hosts_pkey primary key (tenant_id, host),
    constraint hosts_tenant_fkey foreign key (tenant_id) references tenants,
    constraint hosts_host_check check (host = lower(host))
);

create unique index hosts_proved_key on hosts (host) where proved_at is not null;

alter table authorization_requests
    -- The workspace that the address names, by id or alias, and whether it only reads.
    add column pinned_workspace text,
    add column is_read_only boolean not null default false;

alter table connections
    -- The vanity host that it was made at; null at the gateway's own origin.
    add column host text,
    add column pinned_workspace_id uuid,
    add column is_read_only boolean not null default false,
    add column every_workspace boolean not null default true,
    add constraint connections_pinned_workspace_fkey
        foreign key (tenant_id, pinned_workspace_id) references workspaces;

-- The workspaces that the person chose, where it is not every one of theirs.
create table connection_workspaces (
    tenant_id uuid not null,
    connection_id uuid not null,
    workspace_id uuid not null,
    constraint connection_workspaces_pkey primary key (tenant_id, connection_id, workspace_id),
    constraint connection_workspaces_connection_fkey
        foreign key (tenant_id, connection_id) references connections,
    constraint connection_workspaces_workspace_fkey
        foreign key (tenant_id, workspace_id) references workspaces
);
