-- Deletes the discarded dead letters of a subscription that is deleted. Served by outbox_discarded_pkey.
delete from outbox_discarded where subscription = :name
