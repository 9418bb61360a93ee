-- Moves one dead letter back to outbox_retry with another payload and other headers; the audit stores the original, the payload
-- as text or as Base64, because jsonb would not preserve it. Served by outbox_dead_letter_pkey and outbox_retry_key.
-- The transaction has locked the lanes, so that their number is not changed meanwhile.
with removed as (
    delete from outbox_dead_letter
     where subscription = :subscription
       and id = :id
       and (extract(epoch from last_failed_at) * 1000000.0)::bigint = :micros::bigint
    returning *
),
entered as (
    insert into outbox_retry (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes,
                              created_at, blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text, answer,
                              attempt_relay, attempt_millis, earlier_attempts, edited)
    select subscription, lane, id, message_id, aggregate_type, aggregate_id, type, :headers::jsonb, :payload::json, :payloadBytes::bytea, created_at,
           blocked, 0, case when not blocked then clock_timestamp() end,
           first_failed_at, last_failed_at, error_class, error_text, answer, null, null, earlier_attempts, true
      from (select removed.subscription, removed.lane, removed.id, removed.message_id, removed.aggregate_type, removed.aggregate_id,
                   removed.type, removed.created_at, removed.first_failed_at,
                   removed.last_failed_at, removed.error_class, removed.error_text, removed.answer,
                   outbox_earlier_attempts(
                       removed.earlier_attempts, removed.last_failed_at, removed.attempts, removed.attempt_relay,
                       removed.attempt_millis, removed.error_class, removed.error_text, removed.answer) as earlier_attempts,
                   removed.subscription not like 'intake:%' and
                   (select true
                      from outbox_retry earlier
                     where earlier.subscription = removed.subscription
                       and earlier.lane = removed.lane
                       and earlier.key_hash = outbox_key_hash(removed.aggregate_type, removed.aggregate_id)
                       and earlier.aggregate_type = removed.aggregate_type
                       and earlier.aggregate_id = removed.aggregate_id
                       and earlier.id < removed.id
                     limit 1) is not null as blocked
              from removed) ordered
),
audited as (
    insert into outbox_audit (who, via, action, subscription, message, detail, reason)
    select :who, :via, 'retry', subscription, id,
           pg_catalog.jsonb_build_object('messageId', message_id,
                              'key', pg_catalog.replace(pg_catalog.replace(aggregate_type, '%', '%25'), '/', '%2F') || '/' || aggregate_id,
                              'type', type,
                              'attempts', attempts,
                              'errorClass', error_class,
                              'edited', true,
                              'original', pg_catalog.jsonb_build_object('payload', payload::text, 'headers', headers)
                                  || case when payload_bytes is null then '{}'
                                          else pg_catalog.jsonb_build_object('payloadBase64', translate(encode(payload_bytes, 'base64'), chr(10), ''))
                                     end),
           :reason
      from removed
)
select id from removed
