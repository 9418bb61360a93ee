-- The keys of a lane that have messages in outbox_retry, and whether one of these has a time to be tried at; and the
-- keys that have dead letters, if these hold back their keys. One statement, because people move messages between the two
-- tables at any moment: one that moves between two looks would be seen in neither, and later messages would overtake it.
-- Walks outbox_retry_key and outbox_dead_letter_key from key to key, and outbox_retry_due for those with a time: what is
-- blocked, which may be very much, is not read.
-- Parameters: subscription, lane (three times); whether dead letters block, subscription, lane, subscription, lane.
with recursive keys as (
    (
        select aggregate_type, aggregate_id
        from outbox_retry
        where subscription = ?
          and lane = ?
        order by aggregate_type, aggregate_id
        limit 1
    )
    union all
    select following.aggregate_type, following.aggregate_id
    from keys
    cross join lateral (
        select aggregate_type, aggregate_id
        from outbox_retry
        where subscription = ?
          and lane = ?
          and (aggregate_type, aggregate_id) > (keys.aggregate_type, keys.aggregate_id)
        order by aggregate_type, aggregate_id
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
        select aggregate_type, aggregate_id
        from outbox_dead_letter
        where ?::boolean
          and subscription = ?
          and lane = ?
        order by aggregate_type, aggregate_id
        limit 1
    )
    union all
    select following.aggregate_type, following.aggregate_id
    from dead_keys
    cross join lateral (
        select aggregate_type, aggregate_id
        from outbox_dead_letter
        where subscription = ?
          and lane = ?
          and (aggregate_type, aggregate_id) > (dead_keys.aggregate_type, dead_keys.aggregate_id)
        order by aggregate_type, aggregate_id
        limit 1
    ) as following
)
select keys.aggregate_type,
       keys.aggregate_id,
       heads.aggregate_id is not null as has_head,
       false as dead
from keys
left join heads using (aggregate_type, aggregate_id)
union all
select aggregate_type,
       aggregate_id,
       false,
       true
from dead_keys
