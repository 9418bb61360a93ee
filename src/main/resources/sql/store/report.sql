-- Tells how a lane is doing, by the relay that holds it; changes nothing once another relay has taken the lane. Not part of the save,
-- which comes up to ten times a second and must not fail by this. Times are told as durations: the clock is that of the database.
-- Served by outbox_subscription_pkey; the update is HOT.
-- Parameters: in flight, latency in ms, away for ms, error, ms until the next probe; name, lane, epoch.
update outbox_subscription
set in_flight = ?,
    latency_millis = ?::integer,
    destination_unavailable_since = clock_timestamp() - ?::bigint * interval '1 millisecond',
    destination_error = ?,
    next_probe_at = clock_timestamp() + ?::bigint * interval '1 millisecond'
where name = ?
  and lane = ?
  and epoch = ?
  and owner is not null
