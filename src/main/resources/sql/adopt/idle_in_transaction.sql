-- Sessions that are idle in a transaction and hold a lock on a table or its partitions, longest first.
-- Parameters: oids of the table and its partitions, minimum time in seconds.
select activity.pid,
       coalesce(nullif(activity.application_name, ''), 'unknown') as application,
       coalesce(activity.usename::text, 'unknown') as role,
       extract(epoch from clock_timestamp() - activity.state_change)::bigint as seconds,
       string_agg(distinct lock.mode, ', ' order by lock.mode) as modes
  from pg_locks lock
  join pg_stat_activity activity on activity.pid = lock.pid
 where lock.locktype = 'relation'
   and lock.granted
   and lock.database = (select oid from pg_database where datname = current_database())
   and lock.relation = any (?::oid[])
   and activity.state like 'idle in transaction%'
   and activity.state_change <= clock_timestamp() - ?::double precision * interval '1 second'
 group by activity.pid, activity.application_name, activity.usename, activity.state_change
 order by activity.state_change
 limit 10
