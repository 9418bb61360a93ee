-- Deletes the dead letters of a subscription that is deleted. Served by outbox_dead_letter_pkey.
delete from outbox_dead_letter where subscription = :name
