-- How many rows of the outbox sessions have read so far. A session reports when it ends, and at most once a second before.
select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)
from pg_stat_all_tables
where relid in (select inhrelid from pg_inherits where inhparent = 'outbox'::regclass)
