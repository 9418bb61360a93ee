-- Keeps a message that failed for another attempt, with the time of it. The row may be there: it was tried before or was
-- blocked. Served by outbox_retry_pkey.
insert into outbox_retry (
    subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
    blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text)
values (?, ?, ?, ?, ?, ?, ?::jsonb, ?::json, ?,
    false, ?, clock_timestamp() + ? * interval '1 millisecond', clock_timestamp(), clock_timestamp(), ?, ?)
on conflict (subscription, id) do update
set blocked = false,
    attempts = excluded.attempts,
    next_attempt_at = excluded.next_attempt_at,
    first_failed_at = coalesce(outbox_retry.first_failed_at, excluded.first_failed_at),
    last_failed_at = excluded.last_failed_at,
    error_class = excluded.error_class,
    error_text = excluded.error_text
