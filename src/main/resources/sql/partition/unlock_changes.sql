-- Gives back what lock_changes took.
select pg_advisory_unlock(hashtext('caravan prune'), to_regclass('outbox')::oid::integer)
