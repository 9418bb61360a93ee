-- Deletes the waiting messages of a subscription that is deleted. Served by outbox_retry_pkey.
delete from outbox_retry where subscription = :name
