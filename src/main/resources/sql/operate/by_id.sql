-- A message by its id: as a dead letter and as a waiting message of each subscription and intake, and in the outbox.
-- Served by outbox_dead_letter_pkey, outbox_retry_pkey and outbox_pkey.
select found.*
  from ((select 'dead' as state, letter.*
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, message_id, aggregate_type, aggregate_id, type, last_failed_at as at, error_class,
                                     left(error_text, 300) as error_text
                                from outbox_dead_letter
                               where outbox_dead_letter.subscription = subscription.name
                                 and outbox_dead_letter.id = :id
                               limit 1) letter)
        union all
        (select case when waiting.blocked then 'blocked' else 'waiting' end, waiting.subscription, waiting.id, waiting.message_id,
                waiting.aggregate_type, waiting.aggregate_id, waiting.type, waiting.last_failed_at, waiting.error_class, waiting.error_text
           from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
          cross join lateral (select subscription, id, message_id, aggregate_type, aggregate_id, type, last_failed_at, error_class,
                                     left(error_text, 300) as error_text, blocked
                                from outbox_retry
                               where outbox_retry.subscription = subscription.name
                                 and outbox_retry.id = :id
                               limit 1) waiting)
        union all
        select 'in the outbox', null, id, message_id, aggregate_type, aggregate_id, type, created_at, null, null
          from outbox
         where id = :id) found
