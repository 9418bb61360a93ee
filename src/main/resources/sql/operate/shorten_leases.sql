-- Shortens each lease of a subscription that ends later than its duration from now: it was taken before the clock was set back. The
-- lease does not end at once, because its owner may run and renew it. Locks in order of lane, like all locks of lanes.
-- Served by outbox_subscription_pkey; the update is HOT.
with late as (
    select name, lane
    from outbox_subscription
    where name = :name
      and lease_until > clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
    order by lane
    for update
)
update outbox_subscription as subscription
set lease_until = clock_timestamp() + lease_millis::double precision * interval '1 millisecond'
from late
where subscription.name = late.name
  and subscription.lane = late.lane
