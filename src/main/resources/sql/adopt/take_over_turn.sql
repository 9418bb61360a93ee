-- Locks a capture until the end of the transaction, so that only one person changes it at a time. Parameter: name of its function.
select pg_advisory_xact_lock(hashtextextended(current_schema()::text || '.' || ?::text, 0::bigint))
