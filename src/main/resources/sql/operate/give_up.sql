-- Moves messages that wait for another attempt to the dead letters, with their last error. One statement: a
-- message is in one of the two tables at any moment, and one audit row names all of them. Moves only messages that still wait for the attempt that they were
-- selected with. The transaction has locked the subscription, so no save of a relay runs meanwhile; a relay that delivers one
-- finds its entry missing when it saves (retry_store_again, retry_block_again, dead_letter_store). Served by outbox_retry_pkey.
with locked as (
    select id
      from outbox_retry
     where subscription = :subscription
       and id = any (:ids::bigint[])
       and not blocked
       and (extract(epoch from next_attempt_at) * 1000000.0)::bigint = (:micros::bigint[])[pg_catalog.array_position(:ids::bigint[], id)]
     order by id
       for update
),
changed as (
    delete from outbox_retry
     where subscription = :subscription
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
      from changed
     order by id
    on conflict (subscription, id) do nothing
),
more (of_one, of_many) as (values ('{}'::jsonb, '{}'::jsonb)),
\ir audit_changed.sql
select id, aggregate_type, aggregate_id, lane from changed
