-- Writes the reports of lanes by their owner, those of all lanes of a relay in one statement. Not part of the save, which runs up to ten
-- times a second and must not fail because of it. A row that another relay has claimed is not changed: epoch and owner are
-- checked again when its lock is obtained. A locked row is left out, so that no lane waits for another one. Returns the numbers of the
-- reports that were written. Times are passed as durations, because the clock is that of the database.
-- Served by outbox_subscription_pkey; the updates are HOT.
with own as (
    select outbox_subscription.name, outbox_subscription.lane as own_lane, report.*
    from unnest(:subscriptions::text[], :lanes::integer[], :epochs::bigint[], :strict::boolean[], :follow::boolean[], :in_flight::integer[],
                           :latency_millis::integer[], :unavailable_millis::bigint[], :errors::text[], :probe_millis::bigint[],
                           :rates::text[], :attempts_per_second::real[], :waits_for_rate::boolean[], :unused_millis::bigint[])
         with ordinality as report (subscription, lane, epoch, strict, follows_tail, in_flight,
                                    latency_millis, unavailable_millis, error, probe_millis,
                                    rate, attempts_per_second, waits_for_rate, unused_millis, number)
    join outbox_subscription on outbox_subscription.name = report.subscription
                            and outbox_subscription.lane = report.lane
                            and outbox_subscription.epoch = report.epoch
    where outbox_subscription.owner is not null
    for no key update of outbox_subscription skip locked
)
update outbox_subscription
set strict = own.strict,
    follows_tail = own.follows_tail,
    in_flight = own.in_flight,
    latency_millis = own.latency_millis,
    destination_unavailable_since = clock_timestamp() - own.unavailable_millis::double precision * interval '1 millisecond',
    destination_error = own.error,
    next_probe_at = clock_timestamp() + own.probe_millis::double precision * interval '1 millisecond',
    rate_limit = own.rate,
    attempts_per_second = own.attempts_per_second,
    waits_for_rate = own.waits_for_rate,
    permits_since = coalesce(clock_timestamp() - own.unused_millis::double precision * interval '1 millisecond', permits_since)
from own
where outbox_subscription.name = own.name
  and outbox_subscription.lane = own.own_lane
returning own.number
