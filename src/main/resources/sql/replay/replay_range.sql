-- Up to where a subscription can be replayed, and the types it selects (null when no relay has told yet): one row per lane.
-- Served by outbox_subscription_pkey.
select lane, position, types
  from outbox_subscription
 where name = ?
 order by lane
