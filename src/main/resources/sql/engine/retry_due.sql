-- The messages of a lane that are due for another attempt, the longest due first; read after a survey has found one. Served by outbox_retry_due; now() and not
-- clock_timestamp(), which would read all waiting messages. Also returns for each whether an earlier message of its key waits that was
-- stored later (a message of a long transaction, or a retried dead letter): by outbox_retry_key. Limited in bytes like read.sql;
-- a message that is larger than the limit of the subscription is returned without headers and payload.
select id, message_id, aggregate_type, aggregate_id, type,
       case when large.size is null then headers end,
       case when large.size is null then payload end,
       case when large.size is null then payload_bytes end,
       created_at, large.size, attempts, failing_for, entry, edited,
       (select true
        from outbox_retry as earlier
        where earlier.subscription = measured.subscription
          and earlier.lane = measured.lane
          and earlier.key_hash = outbox_key_hash(measured.aggregate_type, measured.aggregate_id)
          and earlier.aggregate_type = measured.aggregate_type
          and earlier.aggregate_id = measured.aggregate_id
          and earlier.id < measured.id
        limit 1) is not null as is_behind
from (
    select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, attempts, entry, edited,
           coalesce(extract(epoch from now() - first_failed_at) * 1000.0, 0)::bigint as failing_for,
           row_number() over (order by next_attempt_at, id) as place,
           sum(
\ir stored_bytes.sql
           ) over (
               order by next_attempt_at, id rows unbounded preceding) as bytes
    from (
        select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, attempts, entry, edited,
               first_failed_at, next_attempt_at
        from outbox_retry
        where subscription = :subscription
          and lane = :lane
          and not blocked
          and next_attempt_at <= now()
          and id <> all (:taken)
        order by next_attempt_at
        limit :limit
    ) as due
) as measured
cross join lateral (
    select outbox_too_large(headers, payload, payload_bytes, :max_message_bytes::bigint) as size
    offset 0
) as large
where bytes <= :bytes or place = 1
order by place
