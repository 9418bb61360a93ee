-- Releases the lock of lock_changes.
select pg_advisory_unlock(hashtext('caravan prune'), to_regclass('outbox')::oid::integer)
