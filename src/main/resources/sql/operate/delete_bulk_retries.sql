-- Cancels the bulk retries of a subscription that is deleted. Few rows; served by outbox_bulk_retry_pkey.
delete from outbox_bulk_retry where subscription = ?
