-- Releases the lease, so that another relay can claim the lane at once, and deletes the report of its owner. Served by outbox_subscription_pkey.
update outbox_subscription
set owner = null,
    lease_until = null,
    presence = null,
    presence_server = null,
    in_flight = null,
    latency_millis = null,
    destination_unavailable_since = null,
    destination_error = null,
    next_probe_at = null
where name = ?
  and lane = ?
  and epoch = ?
