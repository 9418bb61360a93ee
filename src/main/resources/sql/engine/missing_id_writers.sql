-- The transactions that can still fill a missing id, which of them are idle, with times that change when they execute a statement,
-- and the last id that was drawn: see IdleWriters. A role sees the state of its own sessions, and with pg_read_all_stats of all.
-- A prepared transaction has no process; without one pg_stat_get_activity would return all sessions.
select writer.virtualtransaction,
       writer.pid,
       writer.transaction_id,
       writer.next_transaction_id,
       case when activity.state like 'idle in transaction%'
           then pg_catalog.concat_ws(' ', extract(epoch from activity.query_start), extract(epoch from activity.state_change)) end as idle_since,
       (select last_value - (not is_called)::int from outbox_id_seq) as last_id
from (
\ir writers.sql
) as writer
left join lateral pg_stat_get_activity(coalesce(writer.pid, 0)) as activity on true
