-- The sessions whose open transactions may still fill missing ids, the oldest first. A prepared transaction has no session; of
-- sessions of other roles the server may hide the rest. The class Writer inserts writers.sql at the mark.
select writer.pid,
       activity.application_name,
       activity.state,
       activity.xact_start,
       coalesce(activity.wait_event_type = 'Lock', false) as waits
  from (/*writers*/) writer
  left join pg_stat_activity activity on activity.pid = writer.pid
 order by activity.xact_start nulls first, writer.pid
 limit 100
