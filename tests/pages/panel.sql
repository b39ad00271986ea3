-- Connections of each kind that the panel tells apart, for the first person of the demo.
create temporary table mine as
select p.tenant_id, p.person_id, r.resource
from people p, (select 'http://gateway.example/mcp/boards' as resource) r
where p.email = 'ada@acme.example';

with app (name, redirect_uri) as (
    values ('Claude', 'https://claude.ai/api/mcp/auth_callback'),
           ('Claude Code (acme)', 'http://localhost/callback'),
           ('An app whose name is much longer than anybody needs', 'https://tools.example.test/cb')
), client as (
    insert into clients (tenant_id, digest, name, redirect_uris, metadata)
    select m.tenant_id, sha256(convert_to('seeded ' || a.name, 'utf8')), a.name,
           array[a.redirect_uri], '{}'
    from mine m, app a
    returning tenant_id, client_id, name, redirect_uris[1] as redirect_uri
), made as (
    insert into connections
        (tenant_id, person_id, client_id, resource, server, redirect_uri, scopes, is_read_only,
         every_workspace, pinned_workspace_id, created_at, last_used_at, ended_at, end_reason,
         expires_at)
    select m.tenant_id, m.person_id, c.client_id, m.resource || k.path, 'boards', c.redirect_uri,
           k.scopes, k.path = '/readonly', k.every_workspace,
           case when k.path like '/w/%' then
               (select workspace_id from workspaces where name = 'Website')
           end,
           portico_now() - k.ago, portico_now() - k.used_ago, portico_now() - k.ended_ago,
           k.end_reason, portico_now() - k.ago + interval '180 days'
    from mine m
    join client c using (tenant_id)
    join (
        values
            ('Claude', '', array['read', 'write'], true,
             interval '40 days', interval '3 minutes', null::interval, null::text),
            ('Claude Code (acme)', '/readonly', array['read'], true,
             interval '20 days', interval '2 days', null, null),
            ('Claude Code (acme)', '/w/northwind.example', array['read', 'write'], true,
             interval '3 hours', null, null, null),
            ('An app whose name is much longer than anybody needs', '', array['read'], false,
             interval '1 day', null, null, null),
            ('Claude', '', array['read'], true,
             interval '9 days', null, interval '2 days', 'refresh_replayed'),
            ('Claude Code (acme)', '', array['read'], true,
             interval '9 days', null, interval '3 days', 'client'),
            ('Claude Code (acme)', '', array['read'], true,
             interval '9 days', null, interval '4 days', 'person')
    ) k (name, path, scopes, every_workspace, ago, used_ago, ended_ago, end_reason)
        using (name)
    returning tenant_id, connection_id, every_workspace
), chosen as (
    insert into connection_workspaces (tenant_id, connection_id, workspace_id)
    select d.tenant_id, d.connection_id, w.workspace_id
    from made d join workspaces w using (tenant_id)
    where not d.every_workspace and w.name <> 'Website'
)
insert into refresh_tokens (token_hash, tenant_id, connection_id, expires_at)
select sha256(convert_to(connection_id::text, 'utf8')), tenant_id, connection_id,
       portico_now() + interval '30 days'
from made;
