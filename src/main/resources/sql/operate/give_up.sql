-- Moves messages that wait for another attempt to the dead letters, with their last error. One statement: a
-- message is in one of the two tables at any moment, and one audit row names all of them. Moves only messages that still wait for the attempt that they were
-- selected with. The transaction has locked the subscription, so no save of a relay runs meanwhile; a relay that delivers one
-- finds its entry missing when it saves (retry_store_again, retry_block_again, dead_letter_store). Served by outbox_retry_pkey.
-- Parameters: subscription, ids, ids, their next_attempt_at in microseconds; subscription; who, via, reason.
with locked as (
    select id
      from outbox_retry
     where subscription = ?
       and id = any (?::bigint[])
       and not blocked
       and (extract(epoch from next_attempt_at) * 1000000.0)::bigint = (?::bigint[])[pg_catalog.array_position(?::bigint[], id)]
     order by id
       for update
),
removed as (
    delete from outbox_retry
     where subscription = ?
       and id = any (array(select id from locked))
    returning *
),
entered as (
    insert into outbox_dead_letter (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes,
                                    created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,
                                    error_stack, answer, attempt_relay, attempt_millis, earlier_attempts, edited)
    select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes,
           created_at, attempts, coalesce(first_failed_at, clock_timestamp()), coalesce(last_failed_at, clock_timestamp()),
           coalesce(error_class, 'none'), coalesce(error_text, 'Given up before it failed'), '',
           answer, attempt_relay, attempt_millis, earlier_attempts, edited
      from removed
     order by id
    on conflict (subscription, id) do nothing
),
audited as (
    insert into outbox_audit (who, via, action, subscription, message, messages, detail, reason)
    select ?, ?, 'give-up', subscription,
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
)
select id, aggregate_type, aggregate_id, lane from removed
