-- The sessions for which others have waited for more than 2 s that need a table of the outbox, the oldest first: those that hold a lock, and those
-- that wait themselves for an exclusive one, behind which all others wait. Relays wait for 1 s only. Every role can read these columns of all
-- sessions except the state. Reads the lock table, no data.
select holder.pid,
       'session ' || holder.pid::text
           || ' (application ' || coalesce(nullif(activity.application_name, ''), 'unknown')
           || ', user ' || coalesce(activity.usename::text, 'unknown')
           || ', ' || coalesce(case when activity.wait_event_type = 'Lock' then 'waits for a lock' else activity.state end
                               || ' since ' || to_char(activity.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'state unknown')
           || ')' as name
  from (select distinct blocking.pid
          from pg_locks waiting
         cross join lateral pg_catalog.unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
         where waiting.locktype = 'relation'
           and not waiting.granted
           and waiting.waitstart < clock_timestamp() - interval '2 seconds'
           and waiting.database = (select oid from pg_database where datname = current_database())
           and waiting.relation in (select used.oid
                                      from pg_class used
                                      join pg_class outbox on outbox.oid = to_regclass('outbox')::oid
                                     where used.relnamespace = outbox.relnamespace
                                       and used.relname::text like 'outbox%'::text)) holder
  left join pg_stat_activity activity on activity.pid = holder.pid
 where holder.pid > 0
 order by activity.xact_start nulls first, holder.pid
 limit 5
