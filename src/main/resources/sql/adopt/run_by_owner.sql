-- The captures in the schema of the session whose function runs with the rights of its owner, with their tables. Reads the catalog.
select distinct substr(function.proname::text, length('outbox_capture_') + 1) as capture,
       class.oid::bigint as table_oid,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as "table",
       quote_ident(pg_get_userbyid(function.proowner)::text) as owner
  from pg_proc function
  join pg_trigger on tgfoid = function.oid and tgparentid = 0::oid
  join pg_class class on class.oid = tgrelid
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where function.pronamespace = quote_ident(current_schema()::text)::regnamespace::oid
   and function.proname::text like 'outbox\_capture\_%'
   and function.prosecdef
 order by capture, "table"
