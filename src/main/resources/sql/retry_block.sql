-- Lets a message wait behind an earlier one of its key. The row may be there: it was due itself. A person may have taken the
-- message away meanwhile, see retry_store. Served by outbox_retry_pkey and outbox_dead_letter_pkey.
-- Parameters: whether it came from here; the message.
insert into outbox_retry (
    subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at, blocked)
select subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at, true
from (values (?::boolean, ?::text, ?::bigint, ?::uuid, ?::text, ?::text, ?::text, ?::jsonb, ?::json, ?::timestamptz)) as later (
    stored, subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at)
where case when stored
           then exists (select from outbox_retry as waiting
                        where waiting.subscription = later.subscription and waiting.id = later.id)
           else not exists (select from outbox_dead_letter as dead
                            where dead.subscription = later.subscription and dead.id = later.id) end
on conflict (subscription, id) do update
set blocked = true,
    next_attempt_at = null
