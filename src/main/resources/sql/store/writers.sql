-- The transactions that hold the lock of an insert on the outbox: only these can still fill a missing id. Reads the lock
-- table, no data. An insert locks the parent before it draws an id; a partition may also be written to directly. Of a transaction
-- there is one process, and none once it is prepared. Also the transaction id of each that has written something, of 32 bits, and the next
-- one with its epoch: every role sees these. A transaction locks the ids of its savepoints too, but its own is the oldest.
select virtualtransaction,
       case when count(*) = count(pid) then min(pid) end as pid,
       (array_agg(transactionid order by age(transactionid) desc) filter (where transactionid is not null))[1]::text::bigint as transaction_id,
       pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction_id
from pg_locks
where granted
  and (locktype = 'transactionid' and mode = 'ExclusiveLock'
       or locktype = 'relation'
          and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())
          and relation in (
              select 'outbox'::regclass
              union all
              select inhrelid from pg_inherits where inhparent = 'outbox'::regclass
          ))
group by virtualtransaction
having bool_or(locktype = 'relation')
