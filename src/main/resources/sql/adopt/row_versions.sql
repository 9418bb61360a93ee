-- Row versions and vacuum of a table with its partitions, from the statistics of the server. Parameter: their oids.
select coalesce(sum(n_live_tup), 0)::bigint as live,
       coalesce(sum(n_dead_tup), 0)::bigint as dead,
       coalesce(sum(n_tup_upd), 0)::bigint as updates,
       coalesce(sum(n_tup_hot_upd), 0)::bigint as hot_updates,
       extract(epoch from clock_timestamp() - max(greatest(last_vacuum, last_autovacuum)))::bigint as vacuumed_seconds
  from pg_stat_all_tables
 where relid = any (?::oid[])
