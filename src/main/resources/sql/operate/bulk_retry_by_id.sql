-- A bulk retry. Served by outbox_bulk_retry_pkey.
select * from outbox_bulk_retry where id = ?
