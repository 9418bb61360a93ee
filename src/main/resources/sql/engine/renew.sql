-- Renews the lease again at the end of a save that wrote many rows: it may have ended meanwhile. A relay that claims the
-- lane waits for the lock of the row until then. Served by outbox_subscription_pkey; the update is HOT.
update outbox_subscription
set lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond'
where name = :subscription
  and lane = :lane
