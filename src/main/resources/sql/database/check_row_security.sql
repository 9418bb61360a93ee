-- The tables whose rows row-level security may hide from the current role: a hidden message looks like one that was rolled back, and would
-- be lost. Named with their schema, unless that is public. check_tables reports tables that do not exist.
with hidden as (
    select current_user::text as role,
           case when current_schema() <> 'public' then quote_ident(current_schema()::text) || '.' else '' end || name as table_name,
           place
      from pg_catalog.unnest('{outbox,outbox_subscription,outbox_relay,outbox_retry,outbox_dead_letter,outbox_discarded,outbox_job,outbox_intake,outbox_intake_row,outbox_idempotent}'::text[])
               with ordinality as tables (name, place)
     where row_security_active(to_regclass(name)::oid)
)
select table_name as about,
       'Row-level security of ' || table_name || ' may hide rows from role ' || role || ', and messages would be lost. Run as a superuser:'
           || ' alter role ' || role || ' bypassrls (or: alter table ' || table_name || ' disable row level security)' as text
  from hidden
 order by place
