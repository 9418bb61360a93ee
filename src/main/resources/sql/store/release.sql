-- Gives the lease back, so that another relay takes the lane at once, and takes back what its holder told of it. Served by outbox_subscription_pkey.
update outbox_subscription
set owner = null,
    lease_until = null,
    in_flight = null,
    latency_millis = null,
    destination_unavailable_since = null,
    destination_error = null,
    next_probe_at = null
where name = ?
  and lane = ?
  and epoch = ?
