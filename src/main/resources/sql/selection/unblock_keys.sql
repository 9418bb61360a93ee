-- Lets the messages of some keys go on after a person took away what they waited for: gives the first of each key a time to be tried
-- at, if it is blocked by nothing any more. A dead letter holds later messages back if the route says so; where no relay has told yet
-- it is taken to do so, and the relay finds out. A statement of its own, as it must see what the one before it has changed; the
-- transaction has locked the subscription, so no save of a relay runs meanwhile. Served by outbox_retry_key and
-- outbox_dead_letter_key.
-- Parameters: subscription; types and ids of the keys; subscription.
update outbox_retry
   set blocked = false,
       next_attempt_at = clock_timestamp()
 where subscription = ?
   and id = any (array(
       select first.id
         from unnest(?::text[], ?::text[]) key (aggregate_type, aggregate_id)
         join outbox_subscription subscription
           on subscription.name = ?
          and subscription.lane = outbox_lane(key.aggregate_type, key.aggregate_id, subscription.lanes)
        cross join lateral (select id, blocked
                              from outbox_retry
                             where outbox_retry.subscription = subscription.name
                               and outbox_retry.lane = subscription.lane
                               and outbox_retry.key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                               and outbox_retry.aggregate_type = key.aggregate_type
                               and outbox_retry.aggregate_id = key.aggregate_id
                             order by id
                             limit 1) first
        where first.blocked
          and not (coalesce(subscription.dead_letters_block, true)
                   and (select true
                          from outbox_dead_letter dead
                         where dead.subscription = subscription.name
                           and dead.lane = subscription.lane
                           and outbox_key_hash(dead.aggregate_type, dead.aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
                           and dead.aggregate_type = key.aggregate_type
                           and dead.aggregate_id = key.aggregate_id
                           and dead.id < first.id
                         limit 1) is not null)))
