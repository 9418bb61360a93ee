-- The data for the fair share of a subscription: its number of lanes (null if it does not exist), the number of relays that share it, the
-- rank of this relay among them when the remaining lanes are distributed, and the lanes that can be claimed now. Relays whose route has
-- another number of lanes do not count: they own none. A relay does not count while the lock of its session is free, and its lanes count
-- as claimable: claim.sql decides when. So does a lane whose lease ends later than its duration from now: claim.sql shortens that lease.
-- The locks are shared, so that two relays that try one at once do not take each other for its owner. The order of the relays
-- is different for each subscription, so that the same relay does not always get an additional lane. Served by outbox_relay_pkey and
-- outbox_subscription_pkey.
with present as materialized (
    select relay,
           hashtextextended(relay, hashtextextended(subscription, 0::bigint)) as draw
    from outbox_relay
    where subscription = :subscription
      and lanes = :lanes
      and (until > clock_timestamp() and (presence is null or not pg_try_advisory_xact_lock_shared(presence)) or relay = :relay)
)
select max(lanes),
       (select count(*) from present),
       (select count(*)
        from present as other
        join present as this on (other.draw, other.relay) < (this.draw, this.relay)
        where this.relay = :relay),
       coalesce(pg_catalog.array_agg(lane) filter (
           where not paused
             and halted_at is null
             and (lease_until is null
                  or lease_until < clock_timestamp()
                  or lease_until > clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
                  or pg_try_advisory_xact_lock_shared(presence))
             and (barrier is null or barrier_until not between clock_timestamp() and clock_timestamp() + interval '10 seconds' or position < barrier)), '{}')
from outbox_subscription
where name = :subscription
