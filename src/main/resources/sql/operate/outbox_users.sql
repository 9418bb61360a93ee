-- Transactions of others that hold any lock on the outbox, on its default partition or on one partition, or the lock of a write on the
-- subscriptions: a detach would have to wait for them, and inserts and saves behind the detach. Reads the lock table, no data. pid is null for
-- prepared transactions.
select distinct virtualtransaction, pid
from pg_locks
where locktype = 'relation'
  and granted
  and pid is distinct from pg_backend_pid()
  and database = (select oid from pg_database where datname = current_database())
  and (relation = 'outbox_subscription'::regclass::oid and mode <> 'AccessShareLock' and mode <> 'RowShareLock' or relation in (
      select 'outbox'::regclass::oid
      union all
      select :partition::oid
      union all
      select inhrelid
      from pg_inherits
      join pg_class on pg_class.oid = inhrelid
      where inhparent = 'outbox'::regclass::oid
        and pg_get_expr(relpartbound, pg_class.oid) = 'DEFAULT'
  ))
