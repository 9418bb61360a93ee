-- The first messages of each of some keys, in order of id, before the first one that waits for its time, and before the first dead letter that
-- blocks; none if a dead letter blocks the first one. A message can wait before such a dead letter if it became visible later, or was dead
-- too and is retried. Served by outbox_retry_key and outbox_dead_letter_key. Limited in bytes like read.sql: only the first messages of each key
-- are returned, so that their order is preserved. A message that is larger than the limit of the subscription is returned without headers and
-- payload.
select id, message_id, aggregate_type, aggregate_id, type,
       case when large.size is null then headers end,
       case when large.size is null then payload end,
       case when large.size is null then payload_bytes end,
       created_at, large.size, attempts, failing_for, entry, edited
from (
    select follower.id, message_id, follower.aggregate_type, follower.aggregate_id, type, headers, payload, payload_bytes, created_at, attempts, entry, edited,
           coalesce(extract(epoch from now() - follower.first_failed_at) * 1000.0, 0)::bigint as failing_for,
           pg_catalog.first_value(follower.blocked) over (partition by follower.aggregate_type, follower.aggregate_id order by follower.id) as is_held,
           bool_or(coalesce(follower.next_attempt_at > now(), false)) over (
               partition by follower.aggregate_type, follower.aggregate_id order by follower.id rows unbounded preceding) as has_to_wait,
           row_number() over (partition by follower.aggregate_type, follower.aggregate_id order by follower.id) as place,
           sum(
\ir stored_bytes.sql
           ) over (
               partition by follower.aggregate_type, follower.aggregate_id order by follower.id rows unbounded preceding) as bytes
    from unnest(:key_types::text[], :key_ids::text[]) as key (aggregate_type, aggregate_id)
    cross join lateral (
        select min(id) as id
        from (
            select letter.id
            from outbox_dead_letter as letter
            where :dead_letters_block::boolean
              and letter.subscription = :subscription
              and letter.lane = :lane
              and outbox_key_hash(letter.aggregate_type, letter.aggregate_id) = outbox_key_hash(key.aggregate_type, key.aggregate_id)
              and letter.aggregate_type = key.aggregate_type
              and letter.aggregate_id = key.aggregate_id
            offset 0
        ) as blocking
    ) as dead
    cross join lateral (
        select id, message_id, outbox_retry.aggregate_type, outbox_retry.aggregate_id, type, headers, payload, payload_bytes, created_at, attempts, entry, edited,
               blocked, next_attempt_at, first_failed_at
        from outbox_retry
        where subscription = :subscription
          and lane = :lane
          and key_hash = outbox_key_hash(key.aggregate_type, key.aggregate_id)
          and outbox_retry.aggregate_type = key.aggregate_type
          and outbox_retry.aggregate_id = key.aggregate_id
          and (dead.id is null or outbox_retry.id < dead.id)
        order by id
        limit :limit
    ) as follower
) as measured
cross join lateral (
    select outbox_too_large(headers, payload, payload_bytes, :max_message_bytes::bigint) as size
    offset 0
) as large
where not is_held
  and not has_to_wait
  and (bytes <= :bytes or place = 1)
order by id
