-- The indexes of a table and its partitions. Reads only catalogs; sizes are those of the last VACUUM or ANALYZE.
select pg_catalog.format('%I.%I', namespace.nspname, class.relname) as quoted,
       class.relname as name,
       class.relkind = 'I' as partitioned,
       index.indisvalid as valid,
       pg_get_expr(index.indpred, index.indrelid) as predicate,
       array(select attribute.attname::text
               from pg_catalog.unnest(index.indkey::smallint[]) with ordinality as key (number, place)
               join pg_attribute attribute on attribute.attrelid = index.indrelid and attribute.attnum = key.number
              where key.place <= index.indnkeyatts
              order by key.place) as columns,
       class.relpages::bigint * 8192 as bytes,
       exists (select from pg_stat_progress_create_index progress where progress.index_relid = class.oid) as building
  from pg_index index
  join pg_class class on class.oid = index.indexrelid
  join pg_namespace namespace on namespace.oid = class.relnamespace
 where index.indrelid = any (:parts::oid[])
 order by class.relname
