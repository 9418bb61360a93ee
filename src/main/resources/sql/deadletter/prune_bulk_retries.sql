-- Deletes bulk retries that ended some seconds ago. Few rows; served by outbox_bulk_retry_pkey.
delete from outbox_bulk_retry
 where id > 0
   and ended_at < clock_timestamp() - ?::bigint * interval '1 second'
