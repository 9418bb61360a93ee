-- Blocks entries that were read from outbox_retry again, because earlier messages of their keys wait. An entry that a person has removed
-- meanwhile is not restored; numbers are compared for the reason given in retry_remove. Served by outbox_retry_pkey.
update outbox_retry
set blocked = true,
    next_attempt_at = null
from unnest(:ids::bigint[], :entries::bigint[]) as behind (id, entry)
where outbox_retry.subscription = :subscription
  and outbox_retry.id = any (:ids::bigint[])
  and outbox_retry.id = behind.id
  and outbox_retry.entry = behind.entry
