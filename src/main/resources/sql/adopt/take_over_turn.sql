-- Locks the take-over of a capture until the end of the transaction, so that only one person changes it at a time.
select pg_advisory_xact_lock(hashtext(:lock::text), to_regclass('outbox')::oid::integer)
