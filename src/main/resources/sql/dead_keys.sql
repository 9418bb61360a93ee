-- The keys of a subscription that have dead letters. Walks outbox_dead_letter_key from key to key.
with recursive keys as (
    (
        select aggregate_type, aggregate_id
        from outbox_dead_letter
        where subscription = ?
        order by aggregate_type, aggregate_id
        limit 1
    )
    union all
    select following.aggregate_type, following.aggregate_id
    from keys
    cross join lateral (
        select aggregate_type, aggregate_id
        from outbox_dead_letter
        where subscription = ?
          and (aggregate_type, aggregate_id) > (keys.aggregate_type, keys.aggregate_id)
        order by aggregate_type, aggregate_id
        limit 1
    ) as following
)
select aggregate_type, aggregate_id
from keys
