-- A relation, from catalogs only: nothing here waits for a lock on it.
with recursive part (oid) as (
    select :oid::oid
    union all
    select inhrelid from pg_inherits join part on inhparent = part.oid
),
parts as (
    select pg_catalog.array_agg(part.oid::bigint) as oids,
           sum(case when class.reltuples > 0::real then class.reltuples else coalesce(stats.n_live_tup, 0) end)::bigint as row_estimate,
           sum(class.relpages)::bigint * 8192 as page_bytes,
           count(*) filter (where class.relispartition and class.relkind = 'r') as partitions
      from part
      join pg_class class on class.oid = part.oid
      left join pg_stat_all_tables stats on stats.relid = part.oid
)
select class.oid::bigint as oid,
       pg_catalog.format('%I.%I', namespace.nspname, class.relname) as quoted,
       namespace.nspname as schema,
       class.relname as name,
       class.relkind as kind,
       class.relpersistence as persistence,
       pg_get_partkeydef(class.oid) as partition_key,
       has_schema_privilege(namespace.oid, 'USAGE') and has_table_privilege(class.oid, 'SELECT') as readable,
       has_schema_privilege(namespace.oid, 'USAGE') as reachable,
       coalesce(class.relname = 'outbox'
           and exists (select from pg_class other where other.relnamespace = namespace.oid and other.relname = 'outbox_subscription')
           and (select count(*) = 5
                  from pg_attribute
                 where attrelid = class.oid
                   and attname in ('message_id', 'aggregate_type', 'aggregate_id', 'type', 'headers')), false) as of_caravan,
       parts.oids,
       parts.row_estimate,
       parts.page_bytes,
       parts.partitions
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
 cross join parts
 where class.oid = (select oid from part limit 1)
