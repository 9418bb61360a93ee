-- Moves waiting messages to the new lanes of their keys, in the transaction that changes the number of lanes. Reads all waiting
-- messages of the subscription.
update outbox_retry
   set lane = outbox_lane(aggregate_type, aggregate_id, :lanes::integer)
 where subscription = :name
   and lane <> outbox_lane(aggregate_type, aggregate_id, :lanes::integer)
