-- Gives the first message of each of some keys a time to be tried at, if it is blocked by nothing any more: the one before it is gone.
-- Part of the save that took that one away, so that what may go on is always found by its time, also after a crash, and
-- nobody has to search for it. A dead letter holds later messages back, if dead letters block. Returns the keys that may go on.
-- Served by outbox_retry_key and outbox_dead_letter_key.
-- Parameters: subscription; types and ids of the keys; subscription, lane; whether dead letters block, subscription, lane.
update outbox_retry
set blocked = false,
    next_attempt_at = clock_timestamp()
where subscription = ?
  and id = any (array(
      select first.id
      from unnest(?::text[], ?::text[]) as key (aggregate_type, aggregate_id)
      cross join lateral (
          select id, blocked
          from outbox_retry
          where subscription = ?
            and lane = ?
            and key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
            and outbox_retry.aggregate_type = key.aggregate_type
            and outbox_retry.aggregate_id = key.aggregate_id
          order by id
          limit 1
      ) as first
      where first.blocked
        and not (?::boolean
                 and (select true
                      from outbox_dead_letter as dead
                      where dead.subscription = ?
                        and dead.lane = ?
                        and outbox_key_hash(dead.aggregate_type, dead.aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                        and dead.aggregate_type = key.aggregate_type
                        and dead.aggregate_id = key.aggregate_id
                        and dead.id < first.id
                      limit 1) is not null)))
returning aggregate_type, aggregate_id
