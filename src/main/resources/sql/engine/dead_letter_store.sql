-- Moves messages to the dead letters; one statement for all, because many may fail between two saves. Messages in outbox_retry are
-- moved from there; entry numbers are compared for the reason given in retry_remove. Messages that were just read are copied from the
-- outbox, unless they have an entry in outbox_retry because they were blocked or are replayed. Many fail with the same error, which is sent
-- once. A time outside the calendar (infinity) becomes the nearest one inside. Returns the ids of the new dead letters. Served by outbox_retry_pkey and outbox_pkey.
-- Of each message: the number of its entry (0: none) and of its error (from 1). :fresh are the ids of those without an entry.
with failed as materialized (
    select message.id, message.entry, message.attempts, nullif(message.answer, '') as answer, message.millis, error.error_class, error.error_text, error.error_stack, error.step
    from unnest(:ids::bigint[], :entries::bigint[], :attempts::integer[], :answers::text[], :millis::integer[], :errors::bigint[])
        as message (id, entry, attempts, answer, millis, error)
    join unnest(:error_classes::text[], :error_texts::text[], :error_stacks::text[], :steps::text[]) with ordinality as error (error_class, error_text, error_stack, step, number)
      on error.number = message.error
),
waited as (
    delete from outbox_retry
    using failed
    where outbox_retry.subscription = :subscription
      and outbox_retry.id = any (:ids::bigint[])
      and outbox_retry.id = failed.id
      and (failed.entry = 0 or outbox_retry.entry = failed.entry)
    returning outbox_retry.*
),
message as (
    select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, first_failed_at, edited,
           outbox_earlier_attempts(earlier_attempts, last_failed_at, attempts, attempt_relay, attempt_millis, error_class, error_text, answer)
               as earlier_attempts
    from waited
    union all
    select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, null, false, null
    from outbox
    where id = any (:fresh::bigint[])
      and not exists (select from waited where waited.id = outbox.id)
)
insert into outbox_dead_letter (
    subscription, lane, attempt_relay, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
    attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step, answer, attempt_millis, earlier_attempts, edited)
select :subscription::text, :lane::integer, :relay::text, message.id, message.message_id, message.aggregate_type, message.aggregate_id, message.type, message.headers,
       message.payload, message.payload_bytes, least(greatest(message.created_at, '1970-01-01Z'), '9999-12-31T23:59:59Z'), failed.attempts, coalesce(message.first_failed_at, clock_timestamp()), clock_timestamp(),
       failed.error_class, failed.error_text, failed.error_stack, failed.step, failed.answer, failed.millis, message.earlier_attempts, message.edited
from message
join failed on failed.id = message.id
on conflict (subscription, id) do nothing
returning id
