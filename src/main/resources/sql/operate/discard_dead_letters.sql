-- Moves dead letters to outbox_discarded, or deletes them if they are not to be stored, and writes the audit, in one statement. Locked in order of
-- id and compared with the time they were selected with, for the same reasons as in retry_dead_letters. A message that was replayed after
-- an earlier discard, and is discarded again, replaces the earlier row. Served by outbox_dead_letter_pkey and outbox_discarded_pkey.
with locked as (
    select id
      from outbox_dead_letter
     where subscription = :subscription
       and id = any (:ids::bigint[])
       and (extract(epoch from last_failed_at) * 1000000.0)::bigint = (:micros::bigint[])[pg_catalog.array_position(:ids::bigint[], id)]
     order by id
       for update
),
changed as (
    delete from outbox_dead_letter
     where subscription = :subscription
       and id = any (array(select id from locked))
    returning *
),
more (of_one, of_many) as (values ('{}'::jsonb, '{}'::jsonb)),
\ir audit_changed.sql
,
kept as (
    insert into outbox_discarded (subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload,
                                  payload_bytes, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,
                                  error_stack, step, answer, attempt_relay, attempt_millis, earlier_attempts, edited,
                                  error_group, discard, discarded_at, who, reason)
    select subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
           attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step, answer, attempt_relay,
           attempt_millis, earlier_attempts, edited, error_group,
           :discard::uuid, audited.at, audited.who, audited.reason
      from changed
     cross join audited
     where :stored::boolean
     order by id
    on conflict (subscription, id) do update
    set (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, attempts, first_failed_at,
         last_failed_at, error_class, error_text, error_stack, step, answer, attempt_relay, attempt_millis, earlier_attempts,
         edited, error_group, discard, discarded_at, who, reason)
      = row (excluded.message_id, excluded.aggregate_type, excluded.aggregate_id, excluded.type, excluded.headers,
             excluded.payload, excluded.payload_bytes, excluded.created_at, excluded.attempts, excluded.first_failed_at,
             excluded.last_failed_at, excluded.error_class, excluded.error_text, excluded.error_stack, excluded.step,
             excluded.answer, excluded.attempt_relay, excluded.attempt_millis, excluded.earlier_attempts, excluded.edited,
             excluded.error_group, excluded.discard, excluded.discarded_at, excluded.who, excluded.reason)
)
select id, aggregate_type, aggregate_id, lane from changed
