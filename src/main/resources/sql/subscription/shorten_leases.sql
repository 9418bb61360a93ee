-- Shortens to its duration each lease of a subscription that ends later than that from now: it was given before the clock was set
-- back. Not ended at once: its owner may live, and renews it then. In order of lanes, as everybody locks them.
-- Served by outbox_subscription_pkey; the update is HOT. Parameter: name.
with late as (
    select name, lane
    from outbox_subscription
    where name = ?
      and lease_until > clock_timestamp() + lease_millis * interval '1 millisecond'
    order by lane
    for update
)
update outbox_subscription as subscription
set lease_until = clock_timestamp() + lease_millis * interval '1 millisecond'
from late
where subscription.name = late.name
  and subscription.lane = late.lane
