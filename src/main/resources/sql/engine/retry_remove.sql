-- Removes entries that are delivered. An entry that a person created meanwhile for the same message (given up, perhaps edited, and retried)
-- has another number and is not removed. Served by outbox_retry_pkey.
delete from outbox_retry
using unnest(:ids::bigint[], :entries::bigint[]) as delivered (id, entry)
where outbox_retry.subscription = :subscription
  and outbox_retry.id = any (:ids::bigint[])
  and outbox_retry.id = delivered.id
  and outbox_retry.entry = delivered.entry
