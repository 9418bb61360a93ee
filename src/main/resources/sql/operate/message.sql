-- Key, type and time of a message: from the outbox or, when its partition was pruned, from outbox_retry, outbox_dead_letter
-- or outbox_discarded, with the subscription in which it was found there. A rejected row of an intake is found only there. Served by the primary
-- keys.
select found.*
  from (select null as subscription, id, aggregate_type, aggregate_id, type, created_at
          from outbox
         where id = :id
        union all
        (select copy.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, aggregate_type, aggregate_id, type, created_at
                                from outbox_retry
                               where outbox_retry.subscription = subscription.name
                                 and outbox_retry.id = :id
                               limit 1) copy
          limit 1)
        union all
        (select copy.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, aggregate_type, aggregate_id, type, created_at
                                from outbox_dead_letter
                               where outbox_dead_letter.subscription = subscription.name
                                 and outbox_dead_letter.id = :id
                               limit 1) copy
          limit 1)
        union all
        (select copy.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, aggregate_type, aggregate_id, type, created_at
                                from outbox_discarded
                               where outbox_discarded.subscription = subscription.name
                                 and outbox_discarded.id = :id
                               limit 1) copy
          limit 1)) found
 limit 1
