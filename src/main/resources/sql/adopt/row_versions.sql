-- Row versions and vacuum of a table with its partitions, from the statistics of the server. With a partial index on pending rows no update
-- can be HOT: the index is worth more than HOT updates.
with versions as (
    select coalesce(sum(n_live_tup), 0)::bigint as live,
           coalesce(sum(n_dead_tup), 0)::bigint as dead,
           coalesce(sum(n_tup_upd), 0)::bigint as updates,
           coalesce(sum(n_tup_hot_upd), 0)::bigint as hot,
           extract(epoch from clock_timestamp() - max(greatest(last_vacuum, last_autovacuum)))::bigint as vacuumed_seconds
      from pg_stat_all_tables
     where relid = any (:parts::oid[])
)
select 'dead-rows' as kind, 'warning' as severity, :table::text as about,
       pg_catalog.format('{count %s} dead and {count %s} live rows, last vacuum %s', dead, live,
           coalesce('{seconds ' || vacuumed_seconds::text || '} ago', 'unknown')) as figure,
       'Let autovacuum run more often for this table; look for what holds vacuum back.' as fix,
       pg_catalog.format(E'alter table %1$s set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);\nvacuum (analyze) %1$s;',
           :table::text) as sql
  from versions
 where dead >= 10000 and 5 * dead >= live + dead
union all
select 'low-hot-share', 'note', :table::text,
       pg_catalog.format('%s %% of {count %s} updates are HOT', round(100::numeric * hot::numeric / updates::numeric), updates),
       'Index no column that an update changes, and leave free space in each page. Best: do not update messages.',
       case when :partitioned::boolean then '' else 'alter table ' || :table::text || ' set (fillfactor = 80);' end
  from versions
 where updates >= 10000
   and 2 * hot < updates
   and not exists (select
                     from pg_index
                    where indrelid = any (:parts::oid[])
                      and indisvalid
                      and strpos(pg_get_expr(indpred, indrelid), :published::text) > 0)
