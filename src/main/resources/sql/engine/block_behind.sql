-- Blocks the first message behind each of some new dead letters, if dead letters block later messages of their keys. That message has
-- a time for its next attempt if it was stored first: the message that is dead now became visible later, or the database refused to store
-- its outcome. When the dead letter is removed, that message gets a time again. Each dead letter of :ids is looked up alone, so that a table
-- without statistics is not scanned. Served by outbox_dead_letter_pkey and outbox_retry_key.
update outbox_retry
set blocked = true,
    next_attempt_at = null
where subscription = :subscription
  and id = any (array(
      select first.id
      from (values (:subscription::text)) as given (subscription)
      cross join pg_catalog.unnest(:ids::bigint[]) as dead_id
      cross join lateral (
          select * from outbox_dead_letter where outbox_dead_letter.subscription = given.subscription and id = dead_id limit 1
      ) as dead
      join outbox_subscription as subscription
        on subscription.name = dead.subscription
       and subscription.lane = dead.lane
      cross join lateral (
          select outbox_retry.id, outbox_retry.blocked
          from outbox_retry
          where outbox_retry.subscription = dead.subscription
            and outbox_retry.lane = dead.lane
            and outbox_retry.key_hash = outbox_key_hash(dead.aggregate_type, dead.aggregate_id)
            and outbox_retry.aggregate_type = dead.aggregate_type
            and outbox_retry.aggregate_id = dead.aggregate_id
            and outbox_retry.id > dead.id
          order by outbox_retry.id
          limit 1
      ) as first
      where coalesce(subscription.dead_letters_block, true)
        and not first.blocked))
