-- A part of each keys_blocked_by: the number of messages behind the first one of a key (head), up to a bound.
 cross join lateral (select count(*) as messages
                       from (select
                               from outbox_retry waiting
                              where waiting.subscription = head.subscription
                                and waiting.lane = head.lane
                                and waiting.key_hash = outbox_key_hash(head.aggregate_type, head.aggregate_id)
                                and waiting.aggregate_type = head.aggregate_type
                                and waiting.aggregate_id = head.aggregate_id
                                and waiting.id > head.id
                                and waiting.blocked
                              limit :counted) part) behind
