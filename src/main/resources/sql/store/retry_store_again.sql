-- Gives entries that were taken from here and failed the time of another attempt; one statement for all, like retry_store.sql. One that
-- a person has taken away meanwhile does not come back; the numbers are compared for the reason given in retry_remove. Who gives up locks
-- the subscription, and the save has changed it before, so that nobody does at this moment. Served by outbox_retry_pkey.
-- Parameters: of each entry id, number, attempts, delay in ms, error class, error text; subscription, ids.
update outbox_retry
set blocked = false,
    attempts = failed.attempts,
    next_attempt_at = clock_timestamp() + failed.delay * interval '1 millisecond',
    first_failed_at = coalesce(outbox_retry.first_failed_at, clock_timestamp()),
    last_failed_at = clock_timestamp(),
    error_class = failed.error_class,
    error_text = failed.error_text
from unnest(?::bigint[], ?::bigint[], ?::integer[], ?::bigint[], ?::text[], ?::text[]) as failed (id, entry, attempts, delay, error_class, error_text)
where outbox_retry.subscription = ?
  and outbox_retry.id = any (?::bigint[])
  and outbox_retry.id = failed.id
  and outbox_retry.entry = failed.entry
