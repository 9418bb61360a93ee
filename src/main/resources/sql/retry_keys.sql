-- The keys of a subscription that have messages in outbox_retry, and whether one of these has a time to be tried at. Walks
-- outbox_retry_key from key to key: the cost follows the number of keys, not of messages.
with recursive keys as (
    (
        select aggregate_type, aggregate_id
        from outbox_retry
        where subscription = ?
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
          and (aggregate_type, aggregate_id) > (keys.aggregate_type, keys.aggregate_id)
        order by aggregate_type, aggregate_id
        limit 1
    ) as following
)
select aggregate_type,
       aggregate_id,
       exists (
           select 1
           from outbox_retry as head
           where head.subscription = ?
             and head.aggregate_type = keys.aggregate_type
             and head.aggregate_id = keys.aggregate_id
             and not head.blocked
       )
from keys
