-- Calls of a minute that instances may make without asking again: `leased` to all of them together,
-- `slice` to the last that asked. A minute is the database's.
create table call_leases (
    tenant_id uuid not null,
    connection_id uuid not null,
    minute timestamptz not null,
    leased integer not null,
    slice integer not null,
    constraint call_leases_pkey primary key (tenant_id, connection_id),
    constraint call_leases_connection_fkey
        foreign key (tenant_id, connection_id) references connections
);

create index call_leases_minute_index on call_leases (minute);

-- Writes of a day in UTC, counted before they are made.
create table write_budgets (
    tenant_id uuid not null,
    connection_id uuid not null,
    day date not null,
    used integer not null,
    constraint write_budgets_pkey primary key (tenant_id, connection_id),
    constraint write_budgets_connection_fkey
        foreign key (tenant_id, connection_id) references connections
);

create index write_budgets_day_index on write_budgets (day);
