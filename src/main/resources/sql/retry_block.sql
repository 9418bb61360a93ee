-- Lets a message wait behind an earlier one of its key. The row may be there: it was due itself. Served by outbox_retry_pkey.
insert into outbox_retry (
    subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at, blocked)
values (?, ?, ?, ?, ?, ?, ?::jsonb, ?::json, ?, true)
on conflict (subscription, id) do update
set blocked = true,
    next_attempt_at = null
