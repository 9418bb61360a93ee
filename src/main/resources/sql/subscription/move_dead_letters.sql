-- Moves dead letters to the lanes of their keys after the number of lanes was changed, in the same transaction. Reads all dead
-- letters of the subscription. Parameters: number of lanes; subscription; number of lanes.
update outbox_dead_letter
   set lane = outbox_lane(aggregate_type, aggregate_id, ?)
 where subscription = ?
   and lane <> outbox_lane(aggregate_type, aggregate_id, ?)
