-- Sets the time of the next attempt of entries that were read from outbox_retry and failed; one statement for all, like retry_store.sql. An
-- entry that a person has removed meanwhile is not restored; numbers are compared for the reason given in retry_remove. Giving up locks
-- the subscription, whose row the save has updated before, so that both never run at the same time. Served by outbox_retry_pkey.
-- Delays and durations are in ms.
update outbox_retry
set blocked = false,
    attempts = failed.attempts,
    next_attempt_at = clock_timestamp() + failed.delay::double precision * interval '1 millisecond',
    first_failed_at = coalesce(outbox_retry.first_failed_at, clock_timestamp()),
    last_failed_at = clock_timestamp(),
    error_class = failed.error_class,
    error_text = failed.error_text,
    answer = nullif(failed.answer, ''),
    attempt_relay = :relay::text,
    attempt_millis = failed.millis,
    earlier_attempts = outbox_earlier_attempts(
        outbox_retry.earlier_attempts, outbox_retry.last_failed_at, outbox_retry.attempts, outbox_retry.attempt_relay,
        outbox_retry.attempt_millis, outbox_retry.error_class, outbox_retry.error_text, outbox_retry.answer)
from unnest(:ids::bigint[], :entries::bigint[], :attempts::integer[], :delays::bigint[], :error_classes::text[], :error_texts::text[], :answers::text[], :millis::integer[])
    as failed (id, entry, attempts, delay, error_class, error_text, answer, millis)
where outbox_retry.subscription = :subscription
  and outbox_retry.id = any (:ids::bigint[])
  and outbox_retry.id = failed.id
  and outbox_retry.entry = failed.entry
