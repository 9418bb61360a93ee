-- The transactions that hold the insert lock on the outbox: only these can still fill a missing id. Reads pg_locks,
-- no data. An insert locks the parent table before it draws an id; a partition may also be written to directly. A transaction
-- has one process, and none once it is prepared. Also returns the 32-bit id of each transaction that has written something, and the next
-- transaction id with its epoch: every role sees these. A transaction locks the ids of its savepoints too; its own id is the oldest.
select virtualtransaction,
       case when count(*) = pg_catalog.count(pid) then min(pid) end as pid,
       (pg_catalog.array_agg(transactionid order by age(transactionid) desc) filter (where transactionid is not null))[1]::text::bigint as transaction_id,
       pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction_id
from pg_locks
where granted
  and (locktype = 'transactionid' and mode = 'ExclusiveLock'
       or locktype = 'relation'
          and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())
          and relation in (
              select 'outbox'::regclass::oid
              union all
              select inhrelid from pg_inherits where inhparent = 'outbox'::regclass::oid
          ))
group by virtualtransaction
having bool_or(locktype = 'relation')
