-- The database's clock is the only clock. Tests move it with the session setting; nothing else does.
create function portico_now() returns timestamptz
    language sql stable
    return now() + coalesce(nullif(current_setting('portico.clock_offset', true), ''), '0')::interval;
