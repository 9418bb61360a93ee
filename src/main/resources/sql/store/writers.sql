-- The transactions that hold the lock of an insert on the outbox: only these can still fill a missing id. Reads the lock
-- table, no data. An insert locks the parent before it draws an id; a partition may also be written to directly. Of a transaction
-- there is one process, and none once it is prepared.
select distinct virtualtransaction,
       pid
from pg_locks
where locktype = 'relation'
  and mode = 'RowExclusiveLock'
  and granted
  and database = (select oid from pg_database where datname = current_database())
  and relation in (
      select 'outbox'::regclass
      union all
      select inhrelid from pg_inherits where inhparent = 'outbox'::regclass
  )
