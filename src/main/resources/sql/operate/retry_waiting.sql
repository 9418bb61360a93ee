-- Makes messages that wait for another attempt due now, and writes the audit, in one statement. Changes only messages that still
-- wait for the attempt that they were selected with: messages that were tried since, are blocked or were removed are not changed. A message that
-- is due already keeps its time. The transaction has locked the subscription, so no save of a relay runs meanwhile. Served by outbox_retry_pkey.
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
advanced as (
    update outbox_retry
       set next_attempt_at = least(next_attempt_at, clock_timestamp())
     where subscription = ?
       and id = any (array(select id from locked))
    returning *
),
audited as (
    insert into outbox_audit (who, via, action, subscription, message, messages, detail, reason)
    select ?, ?, 'retry', subscription,
           case count(*) when 1 then min(id) end,
           case count(*) when 1 then null else pg_catalog.range_agg(int8range(id, id + 1)) end,
           case count(*) when 1
                then (pg_catalog.array_agg(pg_catalog.jsonb_build_object('messageId', message_id,
                                        'key', aggregate_type || '/' || aggregate_id,
                                        'type', type,
                                        'attempts', attempts,
                                        'errorClass', error_class,
                                        'waiting', true)))[1]
                else pg_catalog.jsonb_build_object('messages', count(*), 'fromId', min(id), 'toId', max(id),
                                        'types', (pg_catalog.array_agg(distinct type))[:10],
                                        'errorClasses', (pg_catalog.array_agg(distinct error_class))[:10], 'waiting', true) end,
           ?
      from advanced
     group by subscription
)
select id from advanced
