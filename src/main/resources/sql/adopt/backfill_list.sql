-- The last backfill of each capture, by the primary key.
select capture, messages, finished_at is not null as finished from outbox_backfill order by capture
