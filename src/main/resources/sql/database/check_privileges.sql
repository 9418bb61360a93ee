-- Privileges that the current role lacks, one row per table; named with its schema, unless that is public. check_tables reports tables that do not exist.
-- UPDATE and INSERT may be granted on columns only; the relay needs them on the table.
with needed (table_name, privilege) as (
    values ('outbox', 'SELECT'),
           ('outbox_subscription', 'SELECT'),
           ('outbox_subscription', 'INSERT'),
           ('outbox_subscription', 'UPDATE'),
           ('outbox_relay', 'SELECT'),
           ('outbox_relay', 'INSERT'),
           ('outbox_relay', 'UPDATE'),
           ('outbox_relay', 'DELETE'),
           ('outbox_lease', 'SELECT'),
           ('outbox_lease', 'INSERT'),
           ('outbox_lease', 'UPDATE'),
           ('outbox_history', 'SELECT'),
           ('outbox_history', 'INSERT'),
           ('outbox_history', 'DELETE'),
           ('outbox_retry', 'SELECT'),
           ('outbox_retry', 'INSERT'),
           ('outbox_retry', 'UPDATE'),
           ('outbox_retry', 'DELETE'),
           ('outbox_dead_letter', 'SELECT'), -- also needed by ON CONFLICT
           ('outbox_dead_letter', 'INSERT'),
           ('outbox_job', 'SELECT'),
           ('outbox_job', 'UPDATE'),
           ('outbox_job', 'DELETE'),
           ('outbox_discarded', 'SELECT'),
           ('outbox_discarded', 'DELETE'),
           ('outbox_intake', 'SELECT'), -- for what people see; a relay with intakes needs more
           ('outbox_idempotent', 'SELECT'),
           ('outbox_idempotent', 'INSERT'),
           ('outbox_idempotent', 'DELETE'), -- idempotentConsumer removes an id when a later step of the route fails
           ('outbox_sleeper', 'SELECT'),
           ('outbox_sleeper', 'UPDATE') -- a sequence that announces that the relay sleeps
),
lacking (role, table_name, privileges) as (
    select current_user::text,
           case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || table_name,
           string_agg(pg_catalog.lower(privilege), ', ' order by privilege desc)
      from needed
     where not has_table_privilege(to_regclass(table_name)::oid, privilege)
     group by table_name
    union all
    -- The trigger on inserts reads it as the role of the application.
    select 'public',
           case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || 'outbox_sleeper',
           'select'
     where not has_table_privilege('public'::name, to_regclass('outbox_sleeper')::oid, 'SELECT')
)
select table_name as about,
       'Role ' || role || ' lacks ' || privileges || ' on ' || table_name || ', which is needed. Run as its owner: grant ' || privileges || ' on '
           || table_name || ' to ' || role as text
  from lacking
 order by table_name, role
