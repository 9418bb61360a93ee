-- The tables outside of the system schemas, without partitions: the user may mean one of them by a name that Postgres does not find.
-- At most 5,000; reads only catalogs.
select class.oid::bigint as oid,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as quoted,
       namespace.nspname as schema,
       class.relname as name
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where class.relkind in ('r', 'p', 'v', 'm', 'f')
   and not class.relispartition
   and namespace.nspname <> 'information_schema'
   and namespace.nspname::text !~ '^pg_'
 order by class.relname, namespace.nspname
 limit 5000
