-- The highest id that is visible in the outbox, 0 when it is empty. Reads the end of the primary key of each partition.
select coalesce(max(id), 0) from outbox
