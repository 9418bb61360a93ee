-- The sessions whose open transactions may still fill missing ids, the oldest first. Reads the lock table, no data. A prepared
-- transaction has no session; of sessions of other roles the server may hide the rest.
select writer.pid,
       activity.application_name,
       activity.state,
       activity.xact_start,
       coalesce(activity.wait_event_type = 'Lock', false) as waits
  from (select distinct virtualtransaction, pid
          from pg_locks
         where locktype = 'relation'
           and mode = 'RowExclusiveLock'
           and granted
           and database = (select oid from pg_database where datname = current_database())
           and relation in (
               select 'outbox'::regclass
               union all
               select inhrelid from pg_inherits where inhparent = 'outbox'::regclass
           )) writer
  left join pg_stat_activity activity on activity.pid = writer.pid
 order by activity.xact_start nulls first, writer.pid
 limit 100
