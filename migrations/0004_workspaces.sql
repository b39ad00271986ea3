create table accounts (
    tenant_id uuid not null,
    account_id uuid not null default gen_random_uuid(),
    name text not null,
    state text not null default 'pending',
    constraint accounts_pkey primary key (tenant_id, account_id),
    constraint accounts_name_key unique (tenant_id, name),
    constraint accounts_tenant_fkey foreign key (tenant_id) references tenants,
    constraint accounts_state_check check (state in ('pending', 'approved', 'suspended'))
);

create table workspaces (
    tenant_id uuid not null,
    workspace_id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    name text not null,
    state text not null default 'live',
    created_at timestamptz not null default portico_now(),
    constraint workspaces_pkey primary key (tenant_id, workspace_id),
    constraint workspaces_account_fkey foreign key (tenant_id, account_id) references accounts,
    constraint workspaces_state_check check (state in ('live', 'paused', 'archived'))
);

-- Names that are unique in the tenant, a domain for example.
create table workspace_aliases (
    tenant_id uuid not null,
    alias text not null,
    workspace_id uuid not null,
    constraint workspace_aliases_pkey primary key (tenant_id, alias),
    constraint workspace_aliases_workspace_fkey
        foreign key (tenant_id, workspace_id) references workspaces
);

create unique index workspace_aliases_alias_key on workspace_aliases (tenant_id, lower(alias));
create index workspace_aliases_workspace_index on workspace_aliases (tenant_id, workspace_id);

create table memberships (
    tenant_id uuid not null,
    person_id uuid not null,
    workspace_id uuid not null,
    role text not null,
    -- Follows the workspace's state, so that the index below leaves archived ones out.
    archived boolean not null default false,
    created_at timestamptz not null default portico_now(),
    constraint memberships_pkey primary key (tenant_id, person_id, workspace_id),
    constraint memberships_person_fkey foreign key (tenant_id, person_id) references people,
    constraint memberships_workspace_fkey
        foreign key (tenant_id, workspace_id) references workspaces,
    constraint memberships_role_check check (role in ('viewer', 'member', 'admin'))
);

-- Reading "the person's only workspace" must not walk past years of archived ones.
create index memberships_current_index on memberships (tenant_id, person_id, workspace_id)
    where not archived;
-- The person too, so that a look-up of one member never reads the others, whichever index it takes.
create index memberships_workspace_index on memberships (tenant_id, workspace_id, person_id);
