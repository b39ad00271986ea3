create table people (
    tenant_id uuid not null,
    person_id uuid not null default gen_random_uuid(),
    email text not null,
    name text not null,
    disabled_at timestamptz,
    created_at timestamptz not null default portico_now(),
    constraint people_pkey primary key (tenant_id, person_id),
    constraint people_tenant_fkey foreign key (tenant_id) references tenants
);

create unique index people_email_key on people (tenant_id, lower(email));

create table passwords (
    tenant_id uuid not null,
    person_id uuid not null,
    password_hash text not null,
    set_at timestamptz not null default portico_now(),
    constraint passwords_pkey primary key (tenant_id, person_id),
    constraint passwords_person_fkey foreign key (tenant_id, person_id) references people
);

create table sessions (
    session_hash bytea not null,
    tenant_id uuid not null,
    person_id uuid not null,
    created_at timestamptz not null default portico_now(),
    expires_at timestamptz not null,
    ended_at timestamptz,
    constraint sessions_pkey primary key (session_hash),
    constraint sessions_person_fkey foreign key (tenant_id, person_id) references people
);
