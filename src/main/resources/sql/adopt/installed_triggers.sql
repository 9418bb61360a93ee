-- The triggers that call the function of a capture: those of its table, and their copies on partitions. event and sum: their two
-- arguments. Postgres stores a zero byte after each argument. of_rows: whether it handles the rows of an INSERT in one call for the statement.
select tgname as name,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as "table",
       tgenabled as enabled,
       tgparentid <> 0::oid as copy,
       split_part(encode(tgargs, 'escape'), '\000', 1) as event,
       split_part(encode(tgargs, 'escape'), '\000', 2) as sum,
       tgnewtable is not null as of_rows,
       class.relispartition as partition,
       class.relkind = 'r'::"char" and exists (select from pg_inherits where inhparent = class.oid) as children
  from pg_trigger
  join pg_class class on class.oid = tgrelid
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where tgfoid = (select oid
                   from pg_proc
                  where pronamespace = quote_ident(current_schema()::text)::regnamespace::oid and proname::text = 'outbox_capture_' || :capture::text and pronargs = 0)
 order by tgrelid, tgname
