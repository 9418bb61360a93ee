-- Gives the first message of each of some keys a time to be tried at, if it is blocked by nothing any more: the one before it is gone.
-- Part of the transaction that took that one away, so that what may go on is always found by its time, also after a crash, and nobody has
-- to search for it. A statement of its own, as it must see what those before it have changed. A dead letter holds later messages back
-- if the route says so; where no relay has told yet it is taken to do so, and the relay finds out. Returns the keys that may go on.
-- Served by outbox_retry_key and outbox_dead_letter_key.
-- Parameters: subscription; types, ids and lanes of the keys; subscription.
update outbox_retry
set blocked = false,
    next_attempt_at = clock_timestamp()
where subscription = ?
  and id = any (array(
      select first.id
      from unnest(?::text[], ?::text[], ?::integer[]) as key (aggregate_type, aggregate_id, lane)
      join outbox_subscription as subscription
        on subscription.name = ?
       and subscription.lane = key.lane
      cross join lateral (
          select id, blocked
          from outbox_retry
          where outbox_retry.subscription = subscription.name
            and outbox_retry.lane = subscription.lane
            and outbox_retry.key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
            and outbox_retry.aggregate_type = key.aggregate_type
            and outbox_retry.aggregate_id = key.aggregate_id
          order by id
          limit 1
      ) as first
      where first.blocked
        and not (coalesce(subscription.dead_letters_block, true)
                 and (select true
                      from outbox_dead_letter as dead
                      where dead.subscription = subscription.name
                        and dead.lane = subscription.lane
                        and outbox_key_hash(dead.aggregate_type, dead.aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                        and dead.aggregate_type = key.aggregate_type
                        and dead.aggregate_id = key.aggregate_id
                        and dead.id < first.id
                      limit 1) is not null)))
returning aggregate_type, aggregate_id
