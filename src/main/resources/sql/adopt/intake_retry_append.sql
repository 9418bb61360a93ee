-- Appends the messages of rejected rows that a person retries, and removes their entries, in one statement. Used by RejectedRows. An entry that a
-- person has given up or discarded meanwhile has another number or is gone: its message is not appended. Without the epoch of the holder nothing
-- is changed. Served by outbox_intake_pkey and outbox_retry_pkey.
with held as (
    update outbox_intake
       set copied = copied + pg_catalog.cardinality(:ids::bigint[]),
           copied_at = clock_timestamp()
     where intake = :intake
       and epoch = :epoch
    returning intake
),
removed as (
    delete from outbox_retry
     using unnest(:ids::bigint[], :entries::bigint[]) as retried (id, entry)
     where outbox_retry.subscription = :subscription
       and outbox_retry.id = any (:ids::bigint[])
       and outbox_retry.id = retried.id
       and outbox_retry.entry = retried.entry
       and exists (select from held)
    returning outbox_retry.id
),
message as (
    select message.*
      from unnest(:ids::bigint[], :message_ids::text[], :aggregate_types::text[], :aggregate_ids::text[], :types::text[], :headers::text[],
                  :payloads::text[], :payloads_bytes::bytea[], :keys::text[])
               as message (id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, row_key)
      join removed on removed.id = message.id
),
appended as (
    insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes)
    select message_id::uuid, aggregate_type, aggregate_id, type, headers::jsonb, payload::json, payload_bytes
      from message
     order by message.id
    returning id
),
tracked as (
    insert into outbox_intake_row (intake, id, row_key)
    select :intake, numbered.id, key.row_key::jsonb
      from (select id, row_number() over (order by id) as n from appended) as numbered
      join (select row_key, row_number() over (order by id) as n from message) as key on key.n = numbered.n
     where key.row_key is not null
)
select count(*) as held from held
