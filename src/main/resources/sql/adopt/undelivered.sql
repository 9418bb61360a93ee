-- Ids of the messages of a capture that a paused subscription has not delivered. Names the schema, because the statement that contains it may
-- find only what belongs to Postgres. Served by outbox_pkey from the first of them on.
select outbox.id
  from {schema}.outbox
  join {schema}.outbox_subscription subscription
    on subscription.name = :subscription
   and subscription.lane = {schema}.outbox_lane(outbox.aggregate_type, outbox.aggregate_id, subscription.lanes)
 where outbox.aggregate_type = :aggregate_type
   and outbox.type like any (:types)
   and outbox.id > (select min(least(lane.position, pg_catalog.lower(lane.gaps) - 1, pg_catalog.lower(lane.older_gaps) - 1))
                      from {schema}.outbox_subscription lane
                     where lane.name = :subscription)
   and (outbox.id > subscription.position
        or subscription.gaps operator(pg_catalog.@>) outbox.id
        or subscription.older_gaps operator(pg_catalog.@>) outbox.id)
