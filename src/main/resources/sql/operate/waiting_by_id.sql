-- Whole waiting messages, with payload and headers; of a content larger than a limit only the size. Served by outbox_retry_pkey.
select subscription, lane, id, message_id, aggregate_type, aggregate_id, type,
       case when large.size is null then headers end as headers,
       case when large.size is null then payload end as payload,
       case when large.size is null then payload_bytes end as payload_bytes,
       large.size as left_out,
       created_at, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text, answer, attempt_relay,
       attempt_millis, earlier_attempts, edited
  from outbox_retry
 cross join lateral (select outbox_too_large(headers, payload, payload_bytes, :most::bigint) as size
                      offset 0) large
 where subscription = :subscription
   and id = any (:ids::bigint[])
 order by id
