-- Keeps a message that failed for another attempt, with the time of it. The row may be there: it was tried before or was
-- blocked. A person may have taken the message away meanwhile (given up, and perhaps discarded): one that came from here must still be here, and a dead letter stays one.
-- Who gives up locks the subscription, and the save has changed it before, so that nobody does at this moment. Served by
-- outbox_retry_pkey and outbox_dead_letter_pkey.
-- Parameters: whether it came from here; the message with its subscription and lane; attempts, delay in ms, error class, error text.
insert into outbox_retry (
    subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
    blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text)
select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
       false, attempts, clock_timestamp() + delay * interval '1 millisecond', clock_timestamp(), clock_timestamp(), error_class, error_text
from (values (?::boolean, ?::text, ?::integer, ?::bigint, ?::uuid, ?::text, ?::text, ?::text, ?::jsonb, ?::json, ?::timestamptz,
              ?::integer, ?::bigint, ?::text, ?::text)) as failed (
    stored, subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
    attempts, delay, error_class, error_text)
where case when stored
           then exists (select from outbox_retry as waiting
                        where waiting.subscription = failed.subscription and waiting.id = failed.id)
           else not exists (select from outbox_dead_letter as dead
                            where dead.subscription = failed.subscription and dead.id = failed.id) end
on conflict (subscription, id) do update
set blocked = false,
    attempts = excluded.attempts,
    next_attempt_at = excluded.next_attempt_at,
    first_failed_at = coalesce(outbox_retry.first_failed_at, excluded.first_failed_at),
    last_failed_at = excluded.last_failed_at,
    error_class = excluded.error_class,
    error_text = excluded.error_text
