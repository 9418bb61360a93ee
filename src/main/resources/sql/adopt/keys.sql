-- Whether a table has a primary key. Parameter: its oid.
select exists (select from pg_index where indrelid = ?::oid and indisprimary) as primary_key
