-- Moves dead letters back to outbox_retry. One statement: a message is in one of the two tables at any moment, and one
-- audit row names all of them. Locked in order of id, so that two people who retry the same ones wait for each other instead of deadlocking;
-- the second finds none. A message that failed again since it was selected (another last_failed_at) is not changed.
-- The transaction has locked the lanes, so that their number is not changed meanwhile.
-- A later message of a key waits behind an earlier one that is in outbox_retry. Served by outbox_dead_letter_pkey and outbox_retry_key.
-- Parameters: subscription, ids, ids, their last_failed_at in microseconds; subscription; who, via, reason.
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
entered as (
    insert into outbox_retry (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes,
                              created_at, blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text, answer,
                              attempt_relay, attempt_millis, earlier_attempts, edited)
    select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
           blocked, 0, case when not blocked then clock_timestamp() end,
           first_failed_at, last_failed_at, error_class, error_text, answer, null, null, earlier_attempts, edited
      from (select removed.subscription, removed.lane, removed.id, removed.message_id, removed.aggregate_type, removed.aggregate_id,
                   removed.type, removed.headers, removed.payload, removed.payload_bytes, removed.created_at, removed.first_failed_at,
                   removed.last_failed_at, removed.error_class, removed.error_text, removed.answer,
                   outbox_earlier_attempts(
                       removed.earlier_attempts, removed.last_failed_at, removed.attempts, removed.attempt_relay,
                       removed.attempt_millis, removed.error_class, removed.error_text, removed.answer) as earlier_attempts, removed.edited,
                   row_number() over (partition by aggregate_type, aggregate_id order by id) > 1
                       or (select true
                             from outbox_retry earlier
                            where earlier.subscription = removed.subscription
                              and earlier.lane = removed.lane
                              and earlier.key_hash = outbox_key_hash(removed.aggregate_type, removed.aggregate_id)
                              and earlier.aggregate_type = removed.aggregate_type
                              and earlier.aggregate_id = removed.aggregate_id
                              and earlier.id < removed.id
                            limit 1) is not null as blocked
              from removed) ordered
     order by id
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
                                        'errorClass', error_class)))[1]
                else pg_catalog.jsonb_build_object('messages', count(*), 'fromId', min(id), 'toId', max(id),
                                        'types', (pg_catalog.array_agg(distinct type))[:10],
                                        'errorClasses', (pg_catalog.array_agg(distinct error_class))[:10]) end,
           ?
      from removed
     group by subscription
)
select id from removed
