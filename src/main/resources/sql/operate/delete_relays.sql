-- Deletes the relays that share a subscription that is deleted. Served by outbox_relay_pkey.
delete from outbox_relay where subscription = :name
