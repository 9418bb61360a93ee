-- Stores rows of an intake that cannot become messages as dead letters of the intake, in the transaction of the batch. Used by IntakeStore. A row
-- of outbox_intake_row with the negative id lets the outcome be written back: :keys is empty without one.
with dead as (
    insert into outbox_dead_letter (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
                                    attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, attempt_relay)
    select :subscription, 0, rejected.id, rejected.message_id::uuid, 'intake', rejected.aggregate_id, 'intake.rejected',
           pg_catalog.jsonb_build_object('key', rejected.row_key), rejected.payload::json, clock_timestamp(),
           1, clock_timestamp(), clock_timestamp(), rejected.error_class, rejected.error_text, '', :relay
      from unnest(:ids::bigint[], :message_ids::text[], :aggregate_ids::text[], :row_keys::text[], :payloads::text[], :error_classes::text[],
                  :error_texts::text[])
               as rejected (id, message_id, aggregate_id, row_key, payload, error_class, error_text)
)
insert into outbox_intake_row (intake, id, row_key)
select :intake, - key.id, key.row_key::jsonb
  from unnest(:ids::bigint[], :keys::text[]) as key (id, row_key)
 where key.row_key is not null
