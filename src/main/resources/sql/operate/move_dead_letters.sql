-- Moves dead letters to the new lanes of their keys, in the transaction that changes the number of lanes. Reads all dead letters
-- of the subscription.
update outbox_dead_letter
   set lane = outbox_lane(aggregate_type, aggregate_id, :lanes::integer)
 where subscription = :name
   and lane <> outbox_lane(aggregate_type, aggregate_id, :lanes::integer)
