-- Locks the creation of partitions for this transaction. False when another relay of this database has the lock; never waits.
select pg_try_advisory_xact_lock(hashtext('caravan partitions'), to_regclass('outbox')::oid::integer)
