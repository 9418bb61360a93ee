-- The subscriptions that have waiting messages. Steps from one to the next in outbox_retry_pkey instead of reading all rows.
with recursive found (subscription) as (
    (select subscription from outbox_retry order by subscription limit 1)
    union all
    select (select next.subscription
              from outbox_retry next
             where next.subscription > found.subscription
             order by next.subscription
             limit 1)
      from found
     where found.subscription is not null
)
select subscription from found where subscription is not null order by subscription
