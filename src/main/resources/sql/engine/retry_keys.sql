-- Those of some keys that have messages in outbox_retry, or a dead letter if dead letters block their keys: fresh messages of these keys
-- must wait. One statement, because people move messages between the two tables at any moment: two statements could miss a
-- message that is moved between them. Served by outbox_retry_key and outbox_dead_letter_key.
select key.aggregate_type, key.aggregate_id
from unnest(:key_types::text[], :key_ids::text[]) as key (aggregate_type, aggregate_id)
where (select true
       from outbox_retry as waiting
       where waiting.subscription = :subscription
         and waiting.lane = :lane
         and waiting.key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
         and waiting.aggregate_type = key.aggregate_type
         and waiting.aggregate_id = key.aggregate_id
       limit 1) is not null
   or (:dead_letters_block::boolean
       and (select true
            from outbox_dead_letter as dead
            where dead.subscription = :subscription
              and dead.lane = :lane
              and outbox_key_hash(dead.aggregate_type, dead.aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
              and dead.aggregate_type = key.aggregate_type
              and dead.aggregate_id = key.aggregate_id
            limit 1) is not null)
