-- The end of the range that a subscription can replay, and the types it selects (null until a relay has stored them). One row per lane.
-- Served by outbox_subscription_pkey.
select lane, position, types
  from outbox_subscription
 where name = ?
 order by lane
