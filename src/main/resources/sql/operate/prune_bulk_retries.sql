-- Deletes bulk retries that ended longer ago than a number of seconds. Few rows; served by outbox_bulk_retry_pkey.
delete from outbox_bulk_retry
 where id > 0
   and ended_at < clock_timestamp() - ?::bigint::double precision * interval '1 second'
