-- One row a tools/call. A day is a partition, so that old ones go in constant time; rows refer to
-- others by id alone and outlive them.
create table calls (
    tenant_id uuid not null,
    call_id uuid not null,
    started_at timestamptz not null,
    duration_us bigint not null,
    provider text not null,
    operation text not null,
    server text not null,
    connection_id uuid not null,
    person_id uuid not null,
    client_id uuid not null,
    workspace_id uuid,
    outcome text not null,
    -- What refused it, as a word for machines.
    reason text,
    -- JSON, redacted, and cut where it was long: not always whole, so not a column of JSON.
    arguments text not null,
    answer text not null,
    constraint calls_pkey primary key (tenant_id, started_at, call_id),
    constraint calls_outcome_check check (outcome in ('answered', 'refused', 'failed'))
) partition by range (started_at);

create index calls_person_index on calls (tenant_id, person_id, started_at);

-- No call is lost for want of a partition.
create table calls_default partition of calls default;

-- Makes today's partition and the following ones. Safe to call from several processes, and late:
-- rows that were taken in by the default partition move to where they belong.
create function ensure_call_partitions(days_ahead integer) returns void
    language plpgsql as $$
declare
    today date := (portico_now() at time zone 'UTC')::date;
    day date;
    name text;
begin
    perform pg_advisory_xact_lock(hashtext('ensure_call_partitions'));
    for offset_days in 0 .. days_ahead loop
        day := today + offset_days;
        name := format('calls_%s', to_char(day, 'YYYYMMDD'));
        if to_regclass(name) is not null then
            continue;
        end if;
        execute format('create table %I (like calls including all)', name);
        -- What comes in between the move and the attachment would refuse the attachment.
        lock table calls_default in access exclusive mode;
        execute format(
            'with moved as (
                 delete from calls_default where started_at >= %L and started_at < %L returning *
             )
             insert into %I select * from moved',
            day || ' 00:00+00', (day + 1) || ' 00:00+00', name);
        execute format(
            'alter table calls attach partition %I for values from (%L) to (%L)',
            name, day || ' 00:00+00', (day + 1) || ' 00:00+00');
    end loop;
end
$$;
