-- The tables whose rows row-level security may hide from the current role; named with their schema, unless that is public. check_tables
-- reports tables that do not exist.
select current_user as role,
       case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || name as table_name
  from pg_catalog.unnest('{outbox,outbox_subscription,outbox_relay,outbox_retry,outbox_dead_letter,outbox_discarded,outbox_job,outbox_idempotent}'::text[])
           with ordinality as tables (name, place)
 where row_security_active(to_regclass(name)::oid)
 order by place
