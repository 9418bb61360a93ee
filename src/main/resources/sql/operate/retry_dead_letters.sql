-- Moves dead letters back to outbox_retry. One statement: a message is in one of the two tables at any moment, and one
-- audit row names all of them. Locked in order of id, so that two people who retry the same ones wait for each other instead of deadlocking;
-- the second finds none. A message that failed again since it was selected (another last_failed_at) is not changed.
-- The transaction has locked the lanes, so that their number is not changed meanwhile.
-- A later message of a key waits behind an earlier one that is in outbox_retry. Rejected rows of an intake do not wait for each other: their
-- messages are new ones. Served by outbox_dead_letter_pkey and outbox_retry_key.
with locked as (
    select id
      from outbox_dead_letter
     where subscription = :subscription
       and id = any (:ids::bigint[])
       and (extract(epoch from last_failed_at) * 1000000.0)::bigint = (:micros::bigint[])[pg_catalog.array_position(:ids::bigint[], id)]
     order by id
       for update
),
changed as (
    delete from outbox_dead_letter
     where subscription = :subscription
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
      from (select changed.subscription, changed.lane, changed.id, changed.message_id, changed.aggregate_type, changed.aggregate_id,
                   changed.type, changed.headers, changed.payload, changed.payload_bytes, changed.created_at, changed.first_failed_at,
                   changed.last_failed_at, changed.error_class, changed.error_text, changed.answer,
                   outbox_earlier_attempts(
                       changed.earlier_attempts, changed.last_failed_at, changed.attempts, changed.attempt_relay,
                       changed.attempt_millis, changed.error_class, changed.error_text, changed.answer) as earlier_attempts, changed.edited,
                   changed.subscription not like 'intake:%'
                       and (row_number() over (partition by aggregate_type, aggregate_id order by id) > 1
                            or (select true
                                  from outbox_retry earlier
                                 where earlier.subscription = changed.subscription
                                   and earlier.lane = changed.lane
                                   and earlier.key_hash = outbox_key_hash(changed.aggregate_type, changed.aggregate_id)
                                   and earlier.aggregate_type = changed.aggregate_type
                                   and earlier.aggregate_id = changed.aggregate_id
                                   and earlier.id < changed.id
                                 limit 1) is not null) as blocked
              from changed) ordered
     order by id
),
more (of_one, of_many) as (values ('{}'::jsonb, '{}'::jsonb)),
\ir audit_changed.sql
select id from changed
