-- Stores failed messages for another attempt, each with its time; one statement for all, because many may fail between two
-- saves. They were just read and are copied from the outbox, and are not sent over the network again. The row may exist:
-- it was blocked, or is replayed. A dead letter is not stored again. Served by outbox_pkey, outbox_retry_pkey and outbox_dead_letter_pkey.
-- Columns are qualified, because applications add columns of any name to the outbox.
-- The previous failed attempt of an entry is moved to its earlier attempts.
-- Delays and durations are in ms.
insert into outbox_retry (
    subscription, lane, attempt_relay, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
    blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text, answer, attempt_millis)
select :subscription::text, :lane::integer, :relay::text, outbox.id, outbox.message_id, outbox.aggregate_type, outbox.aggregate_id, outbox.type, outbox.headers,
       outbox.payload, outbox.payload_bytes, outbox.created_at, false, failed.attempts, clock_timestamp() + failed.delay::double precision * interval '1 millisecond',
       clock_timestamp(), clock_timestamp(), failed.error_class, failed.error_text, nullif(failed.answer, ''), failed.millis
from unnest(:ids::bigint[], :attempts::integer[], :delays::bigint[], :error_classes::text[], :error_texts::text[], :answers::text[], :millis::integer[])
    as failed (id, attempts, delay, error_class, error_text, answer, millis)
join outbox on outbox.id = failed.id
where outbox.id = any (:ids::bigint[])
  and not exists (select from outbox_dead_letter as dead
                  where dead.subscription = :subscription and dead.id = outbox.id)
on conflict (subscription, id) do update
set blocked = false,
    attempts = excluded.attempts,
    next_attempt_at = excluded.next_attempt_at,
    first_failed_at = coalesce(outbox_retry.first_failed_at, excluded.first_failed_at),
    last_failed_at = excluded.last_failed_at,
    error_class = excluded.error_class,
    error_text = excluded.error_text,
    answer = excluded.answer,
    attempt_relay = excluded.attempt_relay,
    attempt_millis = excluded.attempt_millis,
    earlier_attempts = outbox_earlier_attempts(
        outbox_retry.earlier_attempts, outbox_retry.last_failed_at, outbox_retry.attempts, outbox_retry.attempt_relay,
        outbox_retry.attempt_millis, outbox_retry.error_class, outbox_retry.error_text, outbox_retry.answer)
