-- Removes this relay from the relays that share the subscription. Served by outbox_relay_pkey.
delete from outbox_relay
where subscription = :subscription
  and relay = :relay
