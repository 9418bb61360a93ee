-- Ids of the messages of a capture that a paused subscription has not delivered. Served by outbox_pkey from the first of them on.
-- Parameters: name of the subscription, aggregate type, types as LIKE patterns, name of the subscription.
select outbox.id
  from outbox
  join outbox_subscription subscription
    on subscription.name = ?
   and subscription.lane = outbox_lane(outbox.aggregate_type, outbox.aggregate_id, subscription.lanes)
 where outbox.aggregate_type = ?
   and outbox.type like any (?)
   and outbox.id > (select min(least(lane.position, pg_catalog.lower(lane.gaps) - 1, pg_catalog.lower(lane.older_gaps) - 1))
                      from outbox_subscription lane
                     where lane.name = ?)
   and (outbox.id > subscription.position
        or subscription.gaps operator(pg_catalog.@>) outbox.id
        or subscription.older_gaps operator(pg_catalog.@>) outbox.id)
