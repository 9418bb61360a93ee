-- The open transactions that may still fill missing ids, the oldest first, with their sessions. A prepared transaction has no session. The
-- server may hide the details of sessions of other roles. The class OpenTransaction inserts writers.sql at the placeholder.
select writer.pid,
       prepared.gid,
       coalesce(activity.usename, prepared.owner) as role,
       host(activity.client_addr) || ':' || activity.client_port::text as client,
       nullif(activity.application_name, '') as application_name,
       activity.state,
       coalesce(activity.xact_start, prepared.prepared) as since,
       coalesce(activity.wait_event_type = 'Lock', false) as waits,
       nullif(left(activity.query, 2000), '') as query
  from (/*writers*/) writer
  left join pg_stat_activity activity on activity.pid = writer.pid
  left join pg_prepared_xacts prepared
    on writer.pid is null
   and prepared.database = current_database()
   and prepared.transaction::text::bigint = writer.transaction_id
 order by since nulls first, writer.pid
 limit 100
