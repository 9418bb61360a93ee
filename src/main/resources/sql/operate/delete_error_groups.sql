-- Deletes the marks of groups of dead letters of a subscription that is deleted. Served by outbox_error_group_pkey.
delete from outbox_error_group where subscription = :name
