-- Moves what waits to the lanes of its keys after the number of lanes was changed, in the same transaction. Reads all that waits
-- in the subscription. Parameters: number of lanes; subscription; number of lanes.
update outbox_retry
   set lane = outbox_lane(aggregate_type, aggregate_id, ?)
 where subscription = ?
   and lane <> outbox_lane(aggregate_type, aggregate_id, ?)
