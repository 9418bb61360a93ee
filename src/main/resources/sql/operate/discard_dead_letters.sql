-- Moves dead letters to outbox_discarded, or deletes them if they are not to be stored, and writes the audit, in one statement. Locked in order of
-- id and compared with the time they were selected with, for the same reasons as in retry_dead_letters. A message that was replayed after
-- an earlier discard, and is discarded again, replaces the earlier row. Served by outbox_dead_letter_pkey and outbox_discarded_pkey.
-- Parameters: subscription, ids, ids, their last_failed_at in microseconds; subscription; who, via, reason; discard, whether they are stored.
with locked as (
    select id
      from outbox_dead_letter
     where subscription = ?
       and id = any (?::bigint[])
       and (extract(epoch from last_failed_at) * 1000000.0)::bigint = (?::bigint[])[pg_catalog.array_position(?::bigint[], id)]
     order by id
       for update
),
removed as (
    delete from outbox_dead_letter
     where subscription = ?
       and id = any (array(select id from locked))
    returning *
),
audited as (
    insert into outbox_audit (who, via, action, subscription, message, messages, detail, reason)
    select ?, ?, 'discard', subscription,
           case count(*) when 1 then min(id) end,
           case count(*) when 1 then null else pg_catalog.range_agg(int8range(id, id + 1)) end,
           case count(*) when 1
                then (pg_catalog.array_agg(pg_catalog.jsonb_build_object('messageId', message_id,
                                        'key', aggregate_type || '/' || aggregate_id,
                                        'type', type,
                                        'attempts', attempts,
                                        'errorClass', error_class)))[1]
                else pg_catalog.jsonb_build_object('messages', count(*), 'fromId', min(id), 'toId', max(id),
                                        'types', (pg_catalog.array_agg(distinct type))[:10],
                                        'errorClasses', (pg_catalog.array_agg(distinct error_class))[:10]) end,
           ?
      from removed
     group by subscription
    returning who, reason, at
),
kept as (
    insert into outbox_discarded (subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload,
                                  payload_bytes, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,
                                  error_stack, step, answer, attempt_relay, attempt_millis, earlier_attempts, edited,
                                  error_group, discard, discarded_at, who, reason)
    select subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
           attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step, answer, attempt_relay,
           attempt_millis, earlier_attempts, edited, error_group,
           ?::uuid, audited.at, audited.who, audited.reason
      from removed
     cross join audited
     where ?::boolean
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
select id, aggregate_type, aggregate_id, lane from removed
