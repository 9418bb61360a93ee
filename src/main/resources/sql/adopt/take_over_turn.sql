-- Locks a capture until the end of the transaction, so that only one person changes it at a time.
select pg_advisory_xact_lock(hashtextextended(current_schema()::text || '.' || :function::text, 0::bigint))
