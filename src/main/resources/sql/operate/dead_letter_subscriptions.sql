-- The subscriptions that have dead letters. Steps from one to the next in outbox_dead_letter_pkey instead of reading all rows.
with recursive found (subscription) as (
    (select subscription from outbox_dead_letter order by subscription limit 1)
    union all
    select (select next.subscription
              from outbox_dead_letter next
             where next.subscription > found.subscription
             order by next.subscription
             limit 1)
      from found
     where found.subscription is not null
)
select subscription from found where subscription is not null order by subscription
