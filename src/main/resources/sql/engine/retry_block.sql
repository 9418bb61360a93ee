-- Stores messages that are blocked behind earlier ones of their keys. They were just read and are copied from the outbox, and are not
-- sent over the network again: a blocked key may have very many. A dead letter is not stored again. Served by outbox_pkey,
-- outbox_retry_pkey and outbox_dead_letter_pkey.
insert into outbox_retry (
    subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, blocked)
select :subscription::text, :lane::integer, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, true
from outbox
where id = any (:ids::bigint[])
  and not exists (select from outbox_dead_letter as dead
                  where dead.subscription = :subscription and dead.id = outbox.id)
on conflict (subscription, id) do update
set blocked = true,
    next_attempt_at = null
