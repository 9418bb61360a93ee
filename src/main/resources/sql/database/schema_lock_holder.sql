-- The sessions that hold the lock of migrations of the schema of this session (see Schema). Any role that can connect can hold it. Every role
-- can read these columns of all sessions. Reads no table.
select 'session ' || holder.pid::text
           || ' (application ' || coalesce(nullif(activity.application_name, ''), 'unknown')
           || ', user ' || coalesce(activity.usename::text, 'unknown') || ')' as name
  from pg_locks holder
  left join pg_stat_activity activity on activity.pid = holder.pid
 cross join (values (hashtextextended(pg_catalog.concat('caravan schema '::text, current_setting('search_path')), 0::bigint))) as lock (key)
 where holder.locktype = 'advisory'
   and holder.granted
   and holder.database = (select oid from pg_database where datname = current_database())
   and holder.classid = ((lock.key >> 32) & 4294967295)::oid
   and holder.objid = (lock.key & 4294967295)::oid
   and holder.objsubid = 1::smallint
 order by holder.pid
