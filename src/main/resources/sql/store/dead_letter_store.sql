-- Moves a message to the dead letters. Whether it was edited and when it first failed is taken from its row in
-- outbox_retry, if it has one. A person may have taken the entry away meanwhile: one that came from outbox_retry must still be
-- there, with its number for the reason given in retry_remove. Served by the primary keys of both tables.
-- Parameters: subscription, id, number of the entry twice (0: came from the outbox); the message with its subscription and lane;
-- attempts, error class, text, stack, step; number of the entry.
with waited as (
    delete from outbox_retry
    where subscription = ?
      and id = ?
      and (? = 0 or entry = ?)
    returning first_failed_at, edited
)
insert into outbox_dead_letter (
    subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
    attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step, edited)
select ?, ?, ?, ?::uuid, ?, ?, ?, ?::jsonb, ?::json, ?::timestamptz,
    ?, coalesce((select first_failed_at from waited), clock_timestamp()), clock_timestamp(), ?, ?, ?, ?,
    coalesce((select edited from waited), false)
where ? = 0 or exists (select from waited)
on conflict (subscription, id) do nothing
