-- Writes the report of a lane by its owner; changes nothing if another relay has claimed the lane. Not part of the save,
-- which runs up to ten times a second and must not fail because of it. Times are passed as durations, because the clock is that of the database.
-- Served by outbox_subscription_pkey; the update is HOT.
update outbox_subscription
set strict = :strict,
    in_flight = :in_flight,
    latency_millis = :latency_millis::integer,
    destination_unavailable_since = clock_timestamp() - :unavailable_millis::bigint::double precision * interval '1 millisecond',
    destination_error = :error,
    next_probe_at = clock_timestamp() + :probe_millis::bigint::double precision * interval '1 millisecond',
    rate_limit = :rate,
    attempts_per_second = :attempts_per_second::real,
    waits_for_rate = :waits_for_rate::boolean,
    permits_since = coalesce(clock_timestamp() - :unused_millis::bigint::double precision * interval '1 millisecond', permits_since)
where name = :subscription
  and lane = :lane
  and epoch = :epoch
  and owner is not null
