-- Releases the lease, so that another relay can claim the lane at once, and deletes the report of its owner, except the permits that it
-- has not used. Served by outbox_subscription_pkey. Parameters: time of these permits in ms, null without a rate; name, lane, epoch.
update outbox_subscription
set owner = null,
    lease_until = null,
    presence = null,
    presence_server = null,
    in_flight = null,
    latency_millis = null,
    destination_unavailable_since = null,
    destination_error = null,
    next_probe_at = null,
    rate_limit = null,
    attempts_per_second = null,
    waits_for_rate = null,
    permits_since = coalesce(clock_timestamp() - ?::bigint::double precision * interval '1 millisecond', permits_since)
where name = ?
  and lane = ?
  and epoch = ?
