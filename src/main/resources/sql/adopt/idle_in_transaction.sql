-- Sessions that are idle in a transaction and hold a lock on a table or its partitions, longest first.
with session as (
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
       and lock.relation = any (:parts::oid[])
       and activity.state like 'idle in transaction%'
       and activity.state_change <= clock_timestamp() - :idle_seconds::double precision * interval '1 second'
     group by activity.pid, activity.application_name, activity.usename, activity.state_change
     order by activity.state_change
     limit 10
)
select 'idle-in-transaction' as kind, 'warning' as severity,
       pg_catalog.format('session %s (application %s, user %s)', pid, application, role) as about,
       pg_catalog.format('idle for {seconds %s} with %s', seconds, modes) as figure,
       'End it, and let the server end such sessions by itself.' as fix,
       pg_catalog.format(E'select pg_terminate_backend(%s);\nalter role %I set idle_in_transaction_session_timeout = ''1min'';', pid, role) as sql
  from session
