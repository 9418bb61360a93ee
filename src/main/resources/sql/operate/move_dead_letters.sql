-- Moves dead letters to the new lanes of their keys, in the transaction that changes the number of lanes. Reads all dead letters
-- of the subscription. Parameters: number of lanes; subscription; number of lanes.
update outbox_dead_letter
   set lane = outbox_lane(aggregate_type, aggregate_id, ?::integer)
 where subscription = ?
   and lane <> outbox_lane(aggregate_type, aggregate_id, ?::integer)
