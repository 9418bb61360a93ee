-- What the blocked messages of some keys wait for: the first message of the key that has a time for its next attempt, or else a dead letter
-- of the key. Reads a limited number of messages of each key: the one with a time comes first except for rare replays. Served
-- by outbox_retry_key and outbox_dead_letter_key.
select key.aggregate_type,
       key.aggregate_id,
       (select min(first.id)
          from (select id, blocked
                  from outbox_retry
                 where subscription = given.subscription
                   and lane = key.lane
                   and key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                   and aggregate_type = key.aggregate_type
                   and aggregate_id = key.aggregate_id
                 order by id
                 limit 1000) first
         where not first.blocked) as waiting,
       (select min(part.id)
          from (select id
                  from outbox_dead_letter
                 where subscription = given.subscription
                   and lane = key.lane
                   and outbox_key_hash(aggregate_type, aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                   and aggregate_type = key.aggregate_type
                   and aggregate_id = key.aggregate_id
                 limit 1000) part) as dead
  from (values (:subscription::text)) given (subscription)
  left join outbox_subscription first_lane on first_lane.name = given.subscription and first_lane.lane = 0
 cross join lateral (select aggregate_type, aggregate_id, outbox_lane(aggregate_type, aggregate_id, first_lane.lanes) as lane
                       from unnest(:keyTypes::text[], :keyIds::text[]) named (aggregate_type, aggregate_id)) key
