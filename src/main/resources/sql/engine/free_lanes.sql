-- For all subscriptions that a relay asks about, one row each: its number of lanes (null if it does not exist), why it is halted, and the lanes
-- that can be claimed now, by the conditions of claim.sql, which decides; a lane whose lease ends later than its duration from now is one of
-- them, because claim.sql shortens that lease. The sessions of owners whose lock is free, with their servers: they have ended if the statement
-- ran there. The data for the fair share of a subscription with several lanes: the number of relays that share it, and the rank of this relay
-- among them when the remaining lanes are distributed. Relays whose route has another number of lanes do not count: they own none. Nor do
-- relays whose session has ended. The order of the relays is different for each subscription, so that the same relay does not always get an
-- additional lane. One statement, so that a relay that stands by costs the same whatever the number of its lanes. Each session is tried once;
-- the lock is shared, so that two relays that try it at once do not take each other for the owner, and is released with the statement. Served
-- by outbox_subscription_pkey and outbox_relay_pkey.
with asked as materialized (
    select subscription, lanes
    from unnest(:subscriptions::text[], :lanes::integer[]) as asked (subscription, lanes)
),
found as materialized (
    select name,
           lane,
           found.lanes,
           halted_reason,
           presence,
           presence_server,
           not paused
               and halted_at is null
               and (barrier is null or barrier_until not between clock_timestamp() and clock_timestamp() + interval '10 seconds' or position < barrier)
               and (lease_until is null
                    or presence = any (:ended_sessions::bigint[])
                    or lease_until < clock_timestamp()
                    or lease_until > clock_timestamp() + lease_millis::double precision * interval '1 millisecond') as free
    from asked
    join outbox_subscription as found on name = subscription
),
sharing as materialized (
    select asked.subscription,
           relay,
           hashtextextended(relay, hashtextextended(asked.subscription, 0::bigint)) as draw,
           presence
    from asked
    join outbox_relay as sharing on sharing.subscription = asked.subscription and sharing.lanes = asked.lanes
    where asked.lanes > 1
      and (until > clock_timestamp() or relay = :relay)
),
session as materialized (
    select presence, pg_try_advisory_xact_lock_shared(presence) as ended
    from (select presence from found union select presence from sharing) as named
    where presence is not null
)
select asked.subscription,
       lane.lanes,
       lane.halted_reason,
       coalesce(lane.free, '{}'),
       coalesce(lane.ended, '{}'),
       coalesce(lane.servers, '{}'),
       coalesce(relay.relays, 0::bigint),
       coalesce(relay.before, 0::bigint)
from asked
left join (select name,
                  max(lanes) as lanes,
                  max(halted_reason) as halted_reason,
                  pg_catalog.array_agg(lane) filter (where free) as free,
                  pg_catalog.array_agg(found.presence) filter (where ended) as ended,
                  pg_catalog.array_agg(presence_server) filter (where ended) as servers
           from found
           left join session on session.presence = found.presence
           group by name) as lane on lane.name = asked.subscription
left join (select subscription,
                  count(*) as relays,
                  count(*) filter (where (draw, relay) < (hashtextextended(:relay, hashtextextended(subscription, 0::bigint)), :relay)) as before
           from sharing
           left join session on session.presence = sharing.presence
           where relay = :relay
              or ended is not true
           group by subscription) as relay on relay.subscription = asked.subscription
