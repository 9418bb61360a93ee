-- Writes the report of a lane by its owner; changes nothing if another relay has claimed the lane. Not part of the save,
-- which runs up to ten times a second and must not fail because of it. Times are passed as durations, because the clock is that of the database.
-- Served by outbox_subscription_pkey; the update is HOT.
-- Parameters: whether the order is strict, in flight, latency in ms, unavailable for ms, error, ms until the next probe, rate, attempts a
-- second, whether messages wait for the rate, time of unused permits in ms; name, lane, epoch.
update outbox_subscription
set strict = ?,
    in_flight = ?,
    latency_millis = ?::integer,
    destination_unavailable_since = clock_timestamp() - ?::bigint::double precision * interval '1 millisecond',
    destination_error = ?,
    next_probe_at = clock_timestamp() + ?::bigint::double precision * interval '1 millisecond',
    rate_limit = ?,
    attempts_per_second = ?::real,
    waits_for_rate = ?::boolean,
    permits_since = coalesce(clock_timestamp() - ?::bigint::double precision * interval '1 millisecond', permits_since)
where name = ?
  and lane = ?
  and epoch = ?
  and owner is not null
