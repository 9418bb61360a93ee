-- Key, type and time of a message: from the outbox or, when its partition was pruned, from outbox_retry, outbox_dead_letter
-- or outbox_discarded. Served by the primary keys.
select found.*
  from (select id, aggregate_type, aggregate_id, type, created_at
          from outbox
         where id = :id
        union all
        (select copy.*
           from (select distinct name from outbox_subscription) subscription
          cross join lateral (select id, aggregate_type, aggregate_id, type, created_at
                                from outbox_retry
                               where outbox_retry.subscription = subscription.name
                                 and outbox_retry.id = :id
                               limit 1) copy
          limit 1)
        union all
        (select copy.*
           from (select distinct name from outbox_subscription) subscription
          cross join lateral (select id, aggregate_type, aggregate_id, type, created_at
                                from outbox_dead_letter
                               where outbox_dead_letter.subscription = subscription.name
                                 and outbox_dead_letter.id = :id
                               limit 1) copy
          limit 1)
        union all
        (select copy.*
           from (select distinct name from outbox_subscription) subscription
          cross join lateral (select id, aggregate_type, aggregate_id, type, created_at
                                from outbox_discarded
                               where outbox_discarded.subscription = subscription.name
                                 and outbox_discarded.id = :id
                               limit 1) copy
          limit 1)) found
 limit 1
