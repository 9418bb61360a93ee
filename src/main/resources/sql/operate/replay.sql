-- Copies one page of delivered messages into outbox_retry. One statement, so that position, gaps, retries, dead letters and
-- discarded ones are from one snapshot: messages in flight or waiting are never copied. The transaction has locked the lanes, so that their number
-- does not change meanwhile. The first message of a key is due at once, and the others are blocked by it; all are blocked when the
-- key has earlier messages there. With forget, the message ids are removed from outbox_idempotent, so that an idempotent consumer
-- accepts the messages again. Served by outbox_pkey, outbox_retry_pkey, outbox_retry_key, outbox_dead_letter_pkey, outbox_discarded_pkey,
-- outbox_idempotent_pkey.
\ir replayed_messages.sql
, copied as (
    insert into outbox_retry (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes,
                              created_at, blocked, next_attempt_at)
    select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
           blocked, case when not blocked then clock_timestamp() end
      from (select given.subscription,
                   chosen.lane,
                   message.id,
                   message.message_id,
                   message.aggregate_type,
                   message.aggregate_id,
                   message.type,
                   message.headers,
                   message.payload,
                   message.payload_bytes,
                   message.created_at,
                   row_number() over (partition by chosen.aggregate_type, chosen.aggregate_id order by chosen.id) > 1
                       or (select true
                             from outbox_retry waiting
                            where waiting.subscription = given.subscription
                              and waiting.lane = chosen.lane
                              and waiting.key_hash = outbox_key_hash(chosen.aggregate_type, chosen.aggregate_id)
                              and waiting.aggregate_type = chosen.aggregate_type
                              and waiting.aggregate_id = chosen.aggregate_id
                              and waiting.id < chosen.id
                            limit 1) is not null as blocked
              from (values (:subscription::text)) given (subscription)
             cross join chosen
             cross join lateral (select * from outbox where outbox.id = chosen.id limit 1) message) ordered
     order by id
    on conflict do nothing
    returning subscription, message_id
),
forgotten as (
    delete from outbox_idempotent
     where :forget::boolean
       and processorname = (select subscription from copied limit 1)
       and messageid = any (array(select message_id::text from copied))
    returning 1
)
select (select count(*) from copied) as messages,
       (select count(*) from forgotten) as forgotten,
       case when (select count(*) from chosen) < :wanted::bigint then (select max(id) from candidate) else (select max(id) from chosen) end as last_id
