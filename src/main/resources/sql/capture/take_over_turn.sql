-- Lets one of two people at once change a capture, until the end of the transaction. Parameter: name of its function.
select pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || ?::text, 0))
