-- The session that holds an advisory lock of Caravan for the outbox of this session. Any role that can connect can hold it. Every role can
-- read these columns of all sessions. Reads no table.
select holder.pid,
       'session ' || holder.pid::text
           || ' (application ' || coalesce(nullif(activity.application_name, ''), 'unknown')
           || ', user ' || coalesce(activity.usename::text, 'unknown') || ')' as name
  from pg_locks holder
  left join pg_stat_activity activity on activity.pid = holder.pid
 where holder.locktype = 'advisory'
   and holder.granted
   and holder.database = (select oid from pg_database where datname = current_database())
   and holder.classid = (hashtext(:name::text)::bigint & 4294967295)::oid
   and holder.objid = to_regclass('outbox')::oid
   and holder.objsubid = 2::smallint
   and holder.pid <> pg_backend_pid()
 order by holder.pid
 limit 1
