-- The keys of a subscription that are blocked by a dead letter, the longest failing first, and the number of messages behind it.
-- The first message of such a key in outbox_retry is blocked. Reads a limited number of waiting messages in order of their keys, by
-- outbox_retry_key, and for each of these keys its earlier dead letters, by outbox_dead_letter_key.
select head.subscription,
       head.aggregate_type,
       head.aggregate_id,
       head.id,
       head.first_failed_at,
       null::timestamptz as next_attempt_at,
       head.error_class,
       head.error_text,
       behind.messages
  from (select letter.*
          from (select subscription,
                       lane,
                       key_hash,
                       min(id) as id,
                       min(id) is distinct from min(id) filter (where not blocked) as is_blocked
                  from (select subscription, lane, key_hash, id, blocked
                          from outbox_retry
                         where subscription = :subscription
                         order by lane, key_hash, id
                         limit :examined) part
                 group by subscription, lane, key_hash) key
          join outbox_retry first on first.subscription = key.subscription and first.id = key.id
         cross join lateral (select earlier.*
                               from (select subscription, lane, id, aggregate_type, aggregate_id, first_failed_at, error_class,
                                            left(error_text, 300) as error_text
                                       from outbox_dead_letter
                                      where outbox_dead_letter.subscription = key.subscription
                                        and outbox_dead_letter.lane = key.lane
                                        and outbox_key_hash(outbox_dead_letter.aggregate_type, outbox_dead_letter.aggregate_id) = key.key_hash
                                        and outbox_dead_letter.aggregate_type = first.aggregate_type
                                        and outbox_dead_letter.aggregate_id = first.aggregate_id
                                        and outbox_dead_letter.id < key.id
                                      limit 100) earlier
                              order by earlier.id
                              limit 1) letter
         where key.is_blocked
           and letter.first_failed_at <= :since::timestamptz
         order by letter.first_failed_at, letter.id
         limit :limit) head
\ir messages_behind.sql
 order by head.first_failed_at, head.id
