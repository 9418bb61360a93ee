-- The end of the range that a subscription can replay, the types it selects (null until a relay has stored them), and the number of
-- its deliveries. One row per lane.
-- Served by outbox_subscription_pkey.
select lane, position, types, delivered
  from outbox_subscription
 where name = :subscription
 order by lane
