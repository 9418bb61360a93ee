-- Appends the messages of rows of an intake, in their order, and stores the keys of the whole batch, which is to be marked now. Used by IntakeStore.
-- One statement: without the epoch of the holder there is no held row, and nothing is appended. It is executed for parts of a batch too, in one
-- transaction, after Postgres has refused a row. The rows of outbox_intake_row are for the outcome: :keys is empty without one. The ids
-- of the messages grow in the order of the rows. Served by outbox_intake_pkey and outbox_retry_pkey.
with held as (
    update outbox_intake
       set lease_until = clock_timestamp() + :lease_millis::double precision * interval '1 millisecond',
           batch = :batch::jsonb,
           copied = copied + :copied::bigint,
           rejected = rejected + :rejected::bigint,
           copied_at = case when :copied::bigint > 0 then clock_timestamp() else copied_at end
     where intake = :intake
       and epoch = :epoch
    returning intake,
              paused,
              clock_timestamp() as at,
              exists (select from outbox_retry where subscription = :subscription) as has_retries
),
appended as (
    insert into outbox (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes)
    select message.message_id::uuid, message.aggregate_type, message.aggregate_id, message.type,
           message.headers::jsonb, message.payload::json, message.payload_bytes
      from held
     cross join unnest(:message_ids::text[], :aggregate_types::text[], :aggregate_ids::text[], :types::text[], :headers::text[], :payloads::text[],
                       :payloads_bytes::bytea[]) with ordinality
               as message (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, n)
     order by message.n
    returning id
),
tracked as (
    insert into outbox_intake_row (intake, id, row_key)
    select :intake, numbered.id, key.row_key::jsonb
      from (select id, row_number() over (order by id) as n from appended) as numbered
      join pg_catalog.unnest(:keys::text[]) with ordinality as key (row_key, n) on key.n = numbered.n
)
select paused, at, has_retries from held
