-- Those of some keys that have messages in outbox_retry, or a dead letter if these hold back their keys: fresh messages of theirs
-- have to wait. One statement, because people move messages between the two tables at any moment: one that moves between two
-- looks would be seen in neither. Served by outbox_retry_key and outbox_dead_letter_key.
-- Parameters: types and ids of the keys; subscription, lane; whether dead letters block, subscription, lane.
select key.aggregate_type, key.aggregate_id
from unnest(?::text[], ?::text[]) as key (aggregate_type, aggregate_id)
where (select true
       from outbox_retry as waiting
       where waiting.subscription = ?
         and waiting.lane = ?
         and waiting.key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
         and waiting.aggregate_type = key.aggregate_type
         and waiting.aggregate_id = key.aggregate_id
       limit 1) is not null
   or (?::boolean
       and (select true
            from outbox_dead_letter as dead
            where dead.subscription = ?
              and dead.lane = ?
              and outbox_key_hash(dead.aggregate_type, dead.aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
              and dead.aggregate_type = key.aggregate_type
              and dead.aggregate_id = key.aggregate_id
            limit 1) is not null)
