-- Renews the lease once more at the end of a save that wrote many rows: its own end may have come meanwhile. Whoever wants the
-- lane waits for the lock of the row until then. Served by outbox_subscription_pkey; the update is HOT.
update outbox_subscription
set lease_until = clock_timestamp() + ? * interval '1 millisecond'
where name = ?
  and lane = ?
