-- Tokens, codes, and whose they are, are for the service alone: another role reads no row, even
-- where somebody grants it the table.
do $$
declare
    name text;
begin
    foreach name in array array[
        'access_tokens', 'authorization_codes', 'authorization_requests', 'clients',
        'connection_workspaces', 'connections', 'passwords', 'refresh_tokens', 'security_events',
        'sessions'
    ] loop
        execute format('revoke all on %I from public', name);
        execute format('alter table %I enable row level security', name);
    end loop;
end
$$;
