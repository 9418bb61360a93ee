-- Bulk retries, the latest first. Served by outbox_bulk_retry_pkey. Parameter: rows.
select * from outbox_bulk_retry order by id desc limit ?
