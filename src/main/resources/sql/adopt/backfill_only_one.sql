-- Locks the backfill of a capture for the session, so that a second process is refused.
select pg_try_advisory_lock(hashtext(:lock::text), to_regclass('outbox')::oid::integer) as locked
