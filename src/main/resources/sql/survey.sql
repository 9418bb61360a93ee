-- The keys of a lane that have messages in outbox_retry, and whether one of these has a time to be tried at; and the
-- keys that have dead letters, if these hold back their keys. One statement, because people move messages between the two
-- tables at any moment: one that moves between two looks would be seen in neither, and later messages would overtake it.
-- Walks outbox_retry_key and outbox_dead_letter_key from key to key, and outbox_retry_due for those with a time: what is
-- blocked, which may be very much, is not read.
-- Parameters: subscription, lane (three times); whether dead letters block, subscription, lane, subscription, lane.
with recursive keys as (
    (
        select key_hash, aggregate_type, aggregate_id
        from outbox_retry
        where subscription = ?
          and lane = ?
        order by key_hash
        limit 1
    )
    union all
    select following.key_hash, following.aggregate_type, following.aggregate_id
    from keys
    cross join lateral (
        select key_hash, aggregate_type, aggregate_id
        from outbox_retry
        where subscription = ?
          and lane = ?
          and key_hash > keys.key_hash
        order by key_hash
        limit 1
    ) as following
),
heads as materialized (
    select distinct aggregate_type, aggregate_id
    from outbox_retry
    where subscription = ?
      and lane = ?
      and not blocked
),
dead_keys as (
    (
        select outbox_key_hash(aggregate_type, aggregate_id) as key_hash, aggregate_type, aggregate_id
        from outbox_dead_letter
        where ?::boolean
          and subscription = ?
          and lane = ?
        order by outbox_key_hash(aggregate_type, aggregate_id)
        limit 1
    )
    union all
    select following.key_hash, following.aggregate_type, following.aggregate_id
    from dead_keys
    cross join lateral (
        select outbox_key_hash(aggregate_type, aggregate_id) as key_hash, aggregate_type, aggregate_id
        from outbox_dead_letter
        where subscription = ?
          and lane = ?
          and outbox_key_hash(aggregate_type, aggregate_id) > dead_keys.key_hash
        order by outbox_key_hash(aggregate_type, aggregate_id)
        limit 1
    ) as following
)
select aggregate_type,
       aggregate_id,
       heads.aggregate_id is not null as has_head,
       false as dead
from keys
full join heads using (aggregate_type, aggregate_id)
union all
select aggregate_type,
       aggregate_id,
       false,
       true
from dead_keys
