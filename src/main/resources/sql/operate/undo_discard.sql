-- Moves discarded dead letters back to the dead letters as they were, and writes the audit, in one statement. One that is a dead letter or
-- waits in outbox_retry again, because it was replayed meanwhile, is not changed, nor is one whose id another message has got since, because
-- the outbox was truncated or restored. Locked in order of id, like retry_dead_letters, and compared with the time they were selected with.
-- The transaction has locked the lanes, so that their number is not changed and no save or replay runs meanwhile. Served by
-- outbox_discarded_pkey, outbox_dead_letter_pkey, outbox_retry_pkey and outbox_pkey.
with locked as (
    select id
      from outbox_discarded discarded
     where subscription = :subscription
       and id = any (:ids::bigint[])
       and (extract(epoch from discarded_at) * 1000000.0)::bigint = (:micros::bigint[])[pg_catalog.array_position(:ids::bigint[], id)]
       and not exists (select
                         from outbox_dead_letter dead
                        where dead.subscription = discarded.subscription
                          and dead.id = discarded.id)
       and not exists (select
                         from outbox_retry waiting
                        where waiting.subscription = discarded.subscription
                          and waiting.id = discarded.id)
       and (select true
              from outbox
             where outbox.id = discarded.id
               and outbox.message_id <> discarded.message_id
             limit 1) is null
     order by id
       for update
),
changed as (
    delete from outbox_discarded
     where subscription = :subscription
       and id = any (array(select id from locked))
    returning *
),
entered as (
    insert into outbox_dead_letter (subscription, lane, id, message_id, aggregate_type, aggregate_id, type, headers, payload,
                                    payload_bytes, created_at, attempts, first_failed_at, last_failed_at, error_class,
                                    error_text, error_stack, step, answer, attempt_relay, attempt_millis, earlier_attempts, edited)
    select subscription,
           outbox_lane(aggregate_type, aggregate_id, coalesce((select lanes from outbox_subscription where name = changed.subscription and lane = 0), 1)),
           id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, attempts,
           first_failed_at, last_failed_at, error_class, error_text, error_stack, step, answer, attempt_relay, attempt_millis,
           earlier_attempts, edited
      from changed
     order by id
),
more as (
    select (pg_catalog.array_agg(pg_catalog.jsonb_build_object('discard', discard)))[1] as of_one,
           pg_catalog.jsonb_build_object('discards', (pg_catalog.array_agg(distinct discard))[\:10]) as of_many
      from changed
),
\ir audit_changed.sql
select id from changed
