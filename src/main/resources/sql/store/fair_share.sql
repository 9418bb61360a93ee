-- How the lanes of a subscription are shared: how many lanes it has (null while it does not exist), how many relays share it, how
-- many of them come before this one when what is left over is dealt out, and which lanes can be taken now. Relays whose route has
-- another number of lanes do not count: they work none. A lane whose lease ends later than its duration from now can be asked
-- for: claim.sql shortens that lease. The order of the relays
-- is drawn for each subscription, so that not always the same one gets a lane more. Served by outbox_relay_pkey and
-- outbox_subscription_pkey. Parameters: subscription, lanes, relay; relay; subscription.
with present as (
    select relay,
           hashtextextended(relay, hashtextextended(subscription, 0)) as draw
    from outbox_relay
    where subscription = ?
      and lanes = ?
      and (until > clock_timestamp() or relay = ?)
)
select max(lanes),
       (select count(*) from present),
       (select count(*)
        from present as other
        join present as this on (other.draw, other.relay) < (this.draw, this.relay)
        where this.relay = ?),
       coalesce(array_agg(lane) filter (
           where not paused
             and halted_at is null
             and (lease_until is null
                  or lease_until < clock_timestamp()
                  or lease_until > clock_timestamp() + lease_millis * interval '1 millisecond')
             and (barrier is null or barrier_until not between clock_timestamp() and clock_timestamp() + interval '10 seconds' or position < barrier)), '{}')
from outbox_subscription
where name = ?
