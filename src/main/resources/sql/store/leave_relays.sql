-- This relay does not share the subscription any more. Served by outbox_relay_pkey.
delete from outbox_relay
where subscription = ?
  and relay = ?
