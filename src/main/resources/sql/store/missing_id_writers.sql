-- The transactions that can still fill a missing id, those of them that execute nothing, with the times that change when they do,
-- and the last id that was drawn: see IdleWriters. A role sees the state of its own sessions, and with pg_read_all_stats of all.
-- A prepared transaction has no process; without one pg_stat_get_activity would return all sessions.
-- Also the transaction id of each that has written something, of 32 bits, and the next one with its epoch; everybody sees these. A transaction
-- locks the ids of its savepoints too, but its own is the oldest. At the mark SubscriptionStore puts writers.sql.
select writer.virtualtransaction,
       case when activity.state like 'idle in transaction%'
           then concat_ws(' ', extract(epoch from activity.query_start), extract(epoch from activity.state_change)) end as idle_since,
       (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
       own.transactionid::text::bigint as transaction_id,
       pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction_id
from (/*writers*/) as writer
left join lateral pg_stat_get_activity(coalesce(writer.pid, 0)) as activity on true
left join (
    select distinct on (virtualtransaction) virtualtransaction,
           transactionid
    from pg_locks
    where locktype = 'transactionid'
      and mode = 'ExclusiveLock'
      and granted
    order by virtualtransaction, age(transactionid) desc
) as own on own.virtualtransaction = writer.virtualtransaction
