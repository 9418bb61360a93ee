-- The triggers of a table and its partitions that users have created, and whether a subscription applies changes to it.
-- Reads only catalogs. Parameters: oids of the table and its partitions, twice.
select quote_ident(trigger.tgname::text) as quoted,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as table_name,
       trigger.tgenabled as enabled,
       exists (select from pg_subscription_rel where srrelid = any (?::oid[])) as replicated
  from pg_trigger trigger
  join pg_class class on class.oid = trigger.tgrelid
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where trigger.tgrelid = any (?::oid[])
   and not trigger.tgisinternal
   and trigger.tgparentid = 0::oid
   and trigger.tgenabled in ('O', 'D')
 order by 1, 2
 limit 20
