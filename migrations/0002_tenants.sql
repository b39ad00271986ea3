create table tenants (
    tenant_id uuid not null default gen_random_uuid(),
    slug text not null,
    state text not null default 'live',
    version integer not null default 0,
    created_at timestamptz not null default portico_now(),
    constraint tenants_pkey primary key (tenant_id),
    constraint tenants_slug_key unique (slug),
    constraint tenants_state_check check (state in ('live', 'suspended'))
);

-- Every declaration that was ever applied, as it was written.
create table tenant_versions (
    tenant_id uuid not null,
    version integer not null,
    document text not null,
    applied_at timestamptz not null default portico_now(),
    constraint tenant_versions_pkey primary key (tenant_id, version),
    constraint tenant_versions_tenant_fkey foreign key (tenant_id) references tenants
);
