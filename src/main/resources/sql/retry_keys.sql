-- The keys of a subscription that have messages in outbox_retry, and whether one of these has a time to be tried at. Walks
-- outbox_retry_key from key to key, and outbox_retry_due for those with a time: what is blocked, which may be very much, is
-- not read.
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
),
heads as materialized (
    select distinct aggregate_type, aggregate_id
    from outbox_retry
    where subscription = ?
      and not blocked
)
select keys.aggregate_type,
       keys.aggregate_id,
       heads.aggregate_id is not null
from keys
left join heads using (aggregate_type, aggregate_id)
