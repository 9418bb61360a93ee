-- Makes the first message of each of some keys due if nothing blocks it any more: the message before it was removed.
-- Part of the transaction that removed that one, so that messages that may continue are always found by their time, also after a crash,
-- without a search. A separate statement, as it must see the changes of those before it. A dead letter blocks later messages
-- if the route says so, and also until a relay has written the setting of the route. Returns the unblocked keys.
-- Served by outbox_retry_key and outbox_dead_letter_key.
-- :lanes are the lanes of the keys.
update outbox_retry
set blocked = false,
    next_attempt_at = clock_timestamp()
where subscription = :subscription
  and id = any (array(
      select first.id
      from unnest(:key_types::text[], :key_ids::text[], :lanes::integer[]) as key (aggregate_type, aggregate_id, lane)
      join outbox_subscription as subscription
        on subscription.name = :subscription
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
