-- Releases the lease, so that another relay can claim the lane at once, and deletes the report of its owner, except the permits that it
-- has not used. Served by outbox_subscription_pkey. :unused_millis is the time of these permits, null without a rate.
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
    follows_tail = null,
    permits_since = coalesce(clock_timestamp() - :unused_millis::bigint::double precision * interval '1 millisecond', permits_since)
where name = :subscription
  and lane = :lane
  and epoch = :epoch
