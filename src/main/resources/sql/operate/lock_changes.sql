-- Locks pruning, and moves from the default partition, for this session. False when another session has the lock; never waits. The
-- lock ends with the session.
select pg_try_advisory_lock(hashtext('caravan prune'), to_regclass('outbox')::oid::integer)
